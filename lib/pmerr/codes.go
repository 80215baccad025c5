package pmerr

// The codes of the PMAPI (values.md V15). A code is never used for a second meaning.
const (
	// Generic (PM_ERR_GENERIC): an error whose details were already reported.
	Generic Code = -12345
	// PMNS (PM_ERR_PMNS): a name space file is wrong.
	PMNS Code = -12346
	// NoPMNS (PM_ERR_NOPMNS): no name space can be had.
	NoPMNS Code = -12347
	// DupPMNS (PM_ERR_DUPPMNS): a name space is loaded already.
	DupPMNS Code = -12348
	// Text (PM_ERR_TEXT): no help text is recorded.
	Text Code = -12349
	// AppVersion (PM_ERR_APPVERSION): the metric exists, but not in this version of what it measures.
	AppVersion Code = -12350
	// Value (PM_ERR_VALUE): a value is missing.
	Value Code = -12351
	// Timeout (PM_ERR_TIMEOUT): the daemon did not answer in time.
	Timeout Code = -12353
	// NoData (PM_ERR_NODATA): an archive file holds nothing but its label.
	NoData Code = -12354
	// Reset (PM_ERR_RESET): the daemon was reset.
	Reset Code = -12355
	// Name (PM_ERR_NAME): a metric name is unknown.
	Name Code = -12357
	// PMID (PM_ERR_PMID): a metric identifier is unknown.
	PMID Code = -12358
	// InDom (PM_ERR_INDOM): an instance domain is unknown.
	InDom Code = -12359
	// Inst (PM_ERR_INST): an instance is unknown.
	Inst Code = -12360
	// Type (PM_ERR_TYPE): a metric type is unknown or does not fit.
	Type Code = -12397
	// Unit (PM_ERR_UNIT): units cannot be understood or converted.
	Unit Code = -12361
	// Conv (PM_ERR_CONV): a value cannot be converted.
	Conv Code = -12362
	// Trunc (PM_ERR_TRUNC): a value does not fit the type asked for.
	Trunc Code = -12363
	// Sign (PM_ERR_SIGN): a negative value was to become unsigned.
	Sign Code = -12364
	// Profile (PM_ERR_PROFILE): instances must be named one by one.
	Profile Code = -12365
	// IPC (PM_ERR_IPC): the protocol was broken.
	IPC Code = -12366
	// TLS (PM_ERR_TLS): the TLS protocol failed.
	TLS Code = -12414
	// EOF (PM_ERR_EOF): the connection was closed.
	EOF Code = -12368
	// NotHost (PM_ERR_NOTHOST): the operation needs a host.
	NotHost Code = -12369
	// EOL (PM_ERR_EOL): there are no more records.
	EOL Code = -12370
	// Mode (PM_ERR_MODE): a mode is not known or does not fit.
	Mode Code = -12371
	// Label (PM_ERR_LABEL): a label record is wrong.
	Label Code = -12372
	// LogRec (PM_ERR_LOGREC): an archive record is damaged.
	LogRec Code = -12373
	// LogFile (PM_ERR_LOGFILE): a file of an archive is missing.
	LogFile Code = -12375
	// NotArchive (PM_ERR_NOTARCHIVE): the operation needs an archive.
	NotArchive Code = -12374
	// NoContext (PM_ERR_NOCONTEXT): there is no such context.
	NoContext Code = -12376
	// ProfileSpec (PM_ERR_PROFILESPEC): instances were given without a domain.
	ProfileSpec Code = -12377
	// PMIDLog (PM_ERR_PMID_LOG): a metric is not in the archive.
	PMIDLog Code = -12378
	// InDomLog (PM_ERR_INDOM_LOG): an instance domain is not in the archive, or not yet.
	InDomLog Code = -12379
	// InstLog (PM_ERR_INST_LOG): an instance is not in the archive, or not now.
	InstLog Code = -12380
	// NoProfile (PM_ERR_NOPROFILE): a fetch came without a profile.
	NoProfile Code = -12381
	// NoAgent (PM_ERR_NOAGENT): no agent serves the domain.
	NoAgent Code = -12386
	// Permission (PM_ERR_PERMISSION): the daemon refused.
	Permission Code = -12387
	// ConnLimit (PM_ERR_CONNLIMIT): the daemon has too many clients.
	ConnLimit Code = -12388
	// Again (PM_ERR_AGAIN): the information may come later.
	Again Code = -12389
	// IsConn (PM_ERR_ISCONN): the connection exists.
	IsConn Code = -12390
	// NotConn (PM_ERR_NOTCONN): there is no connection.
	NotConn Code = -12391
	// NeedPort (PM_ERR_NEEDPORT): a port is needed.
	NeedPort Code = -12392
	// NonLeaf (PM_ERR_NONLEAF): a name is an inner node of the name space.
	NonLeaf Code = -12394
	// PMDANotReady (PM_ERR_PMDANOTREADY): the agent is starting.
	PMDANotReady Code = -13394
	// PMDAReady (PM_ERR_PMDAREADY): the agent has started.
	PMDAReady Code = -13393
	// Botch (PM_ERR_BOTCH): something impossible happened.
	Botch Code = -12442
	// TooSmall (PM_ERR_TOOSMALL): a list is too short.
	TooSmall Code = -12443
	// TooBig (PM_ERR_TOOBIG): a result is too large.
	TooBig Code = -12444
	// Fault (PM_ERR_FAULT): a fault was injected by a test.
	Fault Code = -12445
	// Thread (PM_ERR_THREAD): the operation is for one thread only.
	Thread Code = -12398
	// NoContainer (PM_ERR_NOCONTAINER): a container is unknown.
	NoContainer Code = -12399
	// BadStore (PM_ERR_BADSTORE): a value cannot be stored.
	BadStore Code = -12400
	// LogOverlap (PM_ERR_LOGOVERLAP): archives of a set overlap.
	LogOverlap Code = -12401
	// LogHost (PM_ERR_LOGHOST): archives of a set come from different hosts.
	LogHost Code = -12402
	// LogChangeType (PM_ERR_LOGCHANGETYPE): archives of a set disagree on a type.
	LogChangeType Code = -12404
	// LogChangeSem (PM_ERR_LOGCHANGESEM): archives of a set disagree on semantics.
	LogChangeSem Code = -12405
	// LogChangeInDom (PM_ERR_LOGCHANGEINDOM): archives of a set disagree on an instance domain.
	LogChangeInDom Code = -12406
	// LogChangeUnits (PM_ERR_LOGCHANGEUNITS): archives of a set disagree on units.
	LogChangeUnits Code = -12407
	// NeedClientCert (PM_ERR_NEEDCLIENTCERT): the daemon wants a client certificate.
	NeedClientCert Code = -12408
	// BadDerive (PM_ERR_BADDERIVE): a derived metric is invalid.
	BadDerive Code = -12409
	// NoLabels (PM_ERR_NOLABELS): labels are not supported.
	NoLabels Code = -12410
	// PMDAFenced (PM_ERR_PMDAFENCED): the agent is fenced.
	PMDAFenced Code = -12411
	// RecType (PM_ERR_RECTYPE): an archive record has an unknown type.
	RecType Code = -12412
	// Feature (PM_ERR_FEATURE): an archive needs a feature that is not known.
	Feature Code = -12413
	// Arg (PM_ERR_ARG): an argument is wrong.
	Arg Code = -12415
	// NYI (PM_ERR_NYI): something is not built yet.
	NYI Code = -21344
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
