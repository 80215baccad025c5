package pmerr

// The codes of the PMAPI. A code is never reused for a second meaning; Name returns its name in C.
const (
	Generic        Code = -12345 // an error whose details were already reported
	PMNS           Code = -12346 // a name space file is wrong
	NoPMNS         Code = -12347 // there is no name space
	DupPMNS        Code = -12348 // a name space is loaded already
	Text           Code = -12349 // no help text is recorded
	AppVersion     Code = -12350 // the metric exists, but this version of the measured system does not support it
	Value          Code = -12351 // a value is missing
	Timeout        Code = -12353 // the daemon did not answer in time
	NoData         Code = -12354 // an archive file holds nothing but its label
	Reset          Code = -12355 // the daemon was reset
	Name           Code = -12357 // a metric name is unknown
	PMID           Code = -12358 // a metric identifier is unknown
	InDom          Code = -12359 // an instance domain is unknown
	Inst           Code = -12360 // an instance is unknown
	Type           Code = -12397 // a metric type is unknown or does not fit
	Unit           Code = -12361 // units cannot be understood or converted
	Conv           Code = -12362 // a value cannot be converted
	Trunc          Code = -12363 // a value does not fit the type asked for
	Sign           Code = -12364 // a negative value was to become unsigned
	Profile        Code = -12365 // instances must be named one by one
	IPC            Code = -12366 // the protocol was broken
	TLS            Code = -12414 // the TLS protocol failed
	EOF            Code = -12368 // the connection was closed
	NotHost        Code = -12369 // the operation needs a host
	EOL            Code = -12370 // there are no more records
	Mode           Code = -12371 // a mode is not known or does not fit
	Label          Code = -12372 // a label record is wrong
	LogRec         Code = -12373 // an archive record is damaged
	LogFile        Code = -12375 // a file of an archive is missing
	NotArchive     Code = -12374 // the operation needs an archive
	NoContext      Code = -12376 // there is no such context
	ProfileSpec    Code = -12377 // instances were given without a domain
	PMIDLog        Code = -12378 // a metric is not in the archive
	InDomLog       Code = -12379 // an instance domain is not in the archive, or not yet
	InstLog        Code = -12380 // an instance is not in the archive, or not now
	NoProfile      Code = -12381 // a fetch came without a profile
	NoAgent        Code = -12386 // no agent serves the domain
	Permission     Code = -12387 // the daemon refused
	ConnLimit      Code = -12388 // the daemon has too many clients
	Again          Code = -12389 // the information may come later
	IsConn         Code = -12390 // the connection exists
	NotConn        Code = -12391 // there is no connection
	NeedPort       Code = -12392 // a port is needed
	NonLeaf        Code = -12394 // a name is an inner node of the name space
	PMDANotReady   Code = -13394 // the agent is starting
	PMDAReady      Code = -13393 // the agent has started
	Botch          Code = -12442 // something impossible happened
	TooSmall       Code = -12443 // a list is too short
	TooBig         Code = -12444 // a result is too large
	Fault          Code = -12445 // a fault was injected by a test
	Thread         Code = -12398 // the operation is for one thread only
	NoContainer    Code = -12399 // a container is unknown
	BadStore       Code = -12400 // a value cannot be stored
	LogOverlap     Code = -12401 // archives of a set overlap
	LogHost        Code = -12402 // archives of a set come from different hosts
	LogChangeType  Code = -12404 // archives of a set disagree on a type
	LogChangeSem   Code = -12405 // archives of a set disagree on semantics
	LogChangeInDom Code = -12406 // archives of a set disagree on an instance domain
	LogChangeUnits Code = -12407 // archives of a set disagree on units
	NeedClientCert Code = -12408 // the daemon wants a client certificate
	BadDerive      Code = -12409 // a derived metric is invalid
	NoLabels       Code = -12410 // labels are not supported
	PMDAFenced     Code = -12411 // the agent is fenced
	RecType        Code = -12412 // an archive record has an unknown type
	Feature        Code = -12413 // an archive needs a feature that is not known
	Arg            Code = -12415 // an argument is wrong
	NYI            Code = -21344 // the operation is not implemented
)

// table lists every code in the order in which pmerr -l prints them.
var table = [...]entry{
	{Generic, "PM_ERR_GENERIC", "Generic error, already reported above"},
	{PMNS, "PM_ERR_PMNS", "Problems parsing PMNS definitions"},
	{NoPMNS, "PM_ERR_NOPMNS", "PMNS not accessible"},
	{DupPMNS, "PM_ERR_DUPPMNS", "Attempt to reload the PMNS"},
	{Text, "PM_ERR_TEXT", "One-line or help text is not available"},
	{AppVersion, "PM_ERR_APPVERSION", "Metric not supported by this version of monitored application"},
	{Value, "PM_ERR_VALUE", "Missing metric value(s)"},
	{Timeout, "PM_ERR_TIMEOUT", "Timeout waiting for a response from PMCD"},
	{NoData, "PM_ERR_NODATA", "Empty archive file"},
	{Reset, "PM_ERR_RESET", "PMCD reset or configuration change"},
	{Name, "PM_ERR_NAME", "Unknown metric name"},
	{PMID, "PM_ERR_PMID", "Unknown or illegal metric identifier"},
	{InDom, "PM_ERR_INDOM", "Unknown or illegal instance domain identifier"},
	{Inst, "PM_ERR_INST", "Unknown or illegal instance identifier"},
	{Type, "PM_ERR_TYPE", "Unknown or illegal metric type"},
	{Unit, "PM_ERR_UNIT", "Illegal pmUnits specification"},
	{Conv, "PM_ERR_CONV", "Impossible value or scale conversion"},
	{Trunc, "PM_ERR_TRUNC", "Truncation in value conversion"},
	{Sign, "PM_ERR_SIGN", "Negative value in conversion to unsigned"},
	{Profile, "PM_ERR_PROFILE", "Explicit instance identifier(s) required"},
	{IPC, "PM_ERR_IPC", "IPC protocol failure"},
	{TLS, "PM_ERR_TLS", "TLS protocol failure"},
	{EOF, "PM_ERR_EOF", "IPC channel closed"},
	{NotHost, "PM_ERR_NOTHOST", "Operation requires context with host source of metrics"},
	{EOL, "PM_ERR_EOL", "End of PCP archive"},
	{Mode, "PM_ERR_MODE", "Illegal mode specification"},
	{Label, "PM_ERR_LABEL", "Illegal label record at start of a PCP archive file"},
	{LogRec, "PM_ERR_LOGREC", "Corrupted record in a PCP archive"},
	{LogFile, "PM_ERR_LOGFILE", "Missing PCP archive file"},
	{NotArchive, "PM_ERR_NOTARCHIVE", "Operation requires context with archive source of metrics"},
	{NoContext, "PM_ERR_NOCONTEXT", "Attempt to use an illegal context"},
	{ProfileSpec, "PM_ERR_PROFILESPEC", "NULL pmInDom with non-NULL instlist"},
	{PMIDLog, "PM_ERR_PMID_LOG", "Metric not defined in the PCP archive"},
	{InDomLog, "PM_ERR_INDOM_LOG", "Instance domain identifier not defined in the PCP archive"},
	{InstLog, "PM_ERR_INST_LOG", "Instance identifier not defined in the PCP archive"},
	{NoProfile, "PM_ERR_NOPROFILE", "Missing profile - protocol botch"},
	{NoAgent, "PM_ERR_NOAGENT", "No PMCD agent for domain of request"},
	{Permission, "PM_ERR_PERMISSION", "No permission to perform requested operation"},
	{ConnLimit, "PM_ERR_CONNLIMIT", "PMCD connection limit for this host exceeded"},
	{Again, "PM_ERR_AGAIN", "Try again. Information not currently available"},
	{IsConn, "PM_ERR_ISCONN", "Already Connected"},
	{NotConn, "PM_ERR_NOTCONN", "Not Connected"},
	{NeedPort, "PM_ERR_NEEDPORT", "A non-null port name is required"},
	{NonLeaf, "PM_ERR_NONLEAF", "Metric name is not a leaf in PMNS"},
	{PMDANotReady, "PM_ERR_PMDANOTREADY", "PMDA is not yet ready to respond to requests"},
	{PMDAReady, "PM_ERR_PMDAREADY", "PMDA is now responsive to requests"},
	{Botch, "PM_ERR_BOTCH", "Internal inconsistency detected or assertion failed"},
	{TooSmall, "PM_ERR_TOOSMALL", "Insufficient elements in list"},
	{TooBig, "PM_ERR_TOOBIG", "Result size exceeded"},
	{Fault, "PM_ERR_FAULT", "QA fault injected"},
	{Thread, "PM_ERR_THREAD", "Operation not supported for multi-threaded applications"},
	{NoContainer, "PM_ERR_NOCONTAINER", "Container not found"},
	{BadStore, "PM_ERR_BADSTORE", "Bad input to pmstore"},
	{LogOverlap, "PM_ERR_LOGOVERLAP", "Archives overlap in time"},
	{LogHost, "PM_ERR_LOGHOST", "Archives differ by host"},
	{LogChangeType, "PM_ERR_LOGCHANGETYPE", "The type of a metric has changed in an archive"},
	{LogChangeSem, "PM_ERR_LOGCHANGESEM", "The semantics of a metric has changed in an archive"},
	{LogChangeInDom, "PM_ERR_LOGCHANGEINDOM", "The instance domain of a metric has changed in an archive"},
	{LogChangeUnits, "PM_ERR_LOGCHANGEUNITS", "The units of a metric have changed in an archive"},
	{NeedClientCert, "PM_ERR_NEEDCLIENTCERT", "PMCD requires a client certificate"},
	{BadDerive, "PM_ERR_BADDERIVE", "Derived metric definition failed"},
	{NoLabels, "PM_ERR_NOLABELS", "No support for metric label metadata"},
	{PMDAFenced, "PM_ERR_PMDAFENCED", "PMDA is currently fenced and unable to respond to requests"},
	{RecType, "PM_ERR_RECTYPE", "Incorrect record type in an archive"},
	{Feature, "PM_ERR_FEATURE", "Archive feature not supported"},
	{Arg, "PM_ERR_ARG", "Bad value for function argument"},
	{NYI, "PM_ERR_NYI", "Functionality not yet implemented"},
}
