package pmcd

// A Feature is what a daemon offers in its greeting, or a client asks for, as bits
// (wire.md W3.2).
type Feature uint16

// The features.
const (
	FeatureSecure    Feature = 0x001 // TLS
	FeatureCompress  Feature = 0x002
	FeatureAuth      Feature = 0x004 // authentication
	FeatureCredsReqd Feature = 0x008 // authentication is required
	FeatureSecureAck Feature = 0x010 // the daemon says so before it begins TLS
	FeatureContainer Feature = 0x040
	FeatureCertReqd  Feature = 0x080 // a client certificate is required
	FeatureLabels    Feature = 0x200
	FeatureHighRes   Feature = 0x400 // results with nanoseconds
	FeatureDescs     Feature = 0x800 // many descriptions in one message
)
