package pmcd

// A feature is a set of bits: the offer in pmcd's greeting, or the client's choice (wire.md W3.2).
type feature uint16

const (
	featureSecure    feature = 0x001 // TLS
	featureCompress  feature = 0x002
	featureAuth      feature = 0x004 // authentication
	featureCredsReqd feature = 0x008 // authentication is required
	featureSecureAck feature = 0x010 // the daemon confirms before it begins TLS
	featureContainer feature = 0x040
	featureCertReqd  feature = 0x080 // a client certificate is required
	featureLabels    feature = 0x200
	featureHighRes   feature = 0x400 // results with nanoseconds
	featureDescs     feature = 0x800 // many descriptions in one message
)
