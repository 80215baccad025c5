package pmda

import (
	"bytes"
	"context"
	"math"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Column takes the values of one metric during a fetch. It is valid within Metric.Fetch.
//
// Values are added in the order in which they are delivered, the instances of a domain in the order
// of the domain. A value of an instance that the client has not asked for is dropped, so it does no
// harm to add all.
type Column struct {
	agent  *Agent
	ctx    context.Context
	req    *Request
	metric *Metric
	indom  pcp.InDom
	all    bool // every instance is selected
	dst    *pcp.Values
	err    error // of the instance that failed last
	chosen []pcp.Instance
}

// Client returns the client that asks.
func (c *Column) Client() *Client { return c.req.Client }

// Metric returns the row of the table that the column is for.
func (c *Column) Metric() *Metric { return c.metric }

// Selects reports whether a value for an instance is asked for. For NullInst of a singular metric
// it always is.
func (c *Column) Selects(inst int32) bool {
	return c.all || c.req.Profile.Selects(c.indom, inst)
}

// Instances returns the requested instances, in the order of their domain. A metric without a
// domain has one, NullInst. The slice is valid during the fetch of this column. If the instances
// cannot be listed, the result is empty, and Fail is called with the reason.
func (c *Column) Instances() []pcp.Instance {
	if c.metric.InDom == nil {
		return c.agent.singular[:]
	}
	list, err := c.agent.instances(c.ctx, c.req, c.metric.InDom)
	if err != nil {
		c.Fail(err)
		return nil
	}
	if c.all {
		return list
	}
	c.chosen = c.chosen[:0]
	for _, i := range list {
		if c.req.Profile.Selects(c.indom, i.ID) {
			c.chosen = append(c.chosen, i)
		}
	}
	return c.chosen
}

// Fail says why an instance has no value. The reason is seen by the client only if no instance has
// one; then it is the last that counts. NoValue stands for no reason.
func (c *Column) Fail(err error) { c.err = err }

// NoValue, returned by a function or given to Fail, means that there is no value at present. The
// client gets no values, and no error.
const NoValue = pmerr.Code(0)

// Int adds a value, converted to the metric's type.
func (c *Column) Int(inst int32, v int64) {
	switch c.metric.Type {
	case pcp.Float, pcp.Double:
		c.Float(inst, float64(v))
	case pcp.Int32:
		c.word(inst, uint64(int64(int32(v))))
	case pcp.Uint32:
		c.word(inst, uint64(uint32(v)))
	default:
		c.word(inst, uint64(v))
	}
}

// Uint adds a value, converted to the metric's type.
func (c *Column) Uint(inst int32, v uint64) {
	if t := c.metric.Type; t == pcp.Float || t == pcp.Double {
		c.Float(inst, float64(v))
		return
	}
	c.Int(inst, int64(v))
}

// Float adds a value, converted to the metric's type.
func (c *Column) Float(inst int32, v float64) {
	switch c.metric.Type {
	case pcp.Double:
		c.word(inst, math.Float64bits(v))
	case pcp.Float:
		c.word(inst, uint64(math.Float32bits(float32(v))))
	case pcp.Uint64:
		c.word(inst, uint64(v))
	default:
		c.Int(inst, int64(v))
	}
}

func (c *Column) word(inst int32, w uint64) {
	switch {
	case !c.metric.Type.Arithmetic():
		c.Fail(pmerr.Type)
	case c.Selects(inst):
		c.dst.Insts = append(c.dst.Insts, inst)
		c.dst.Words = append(c.dst.Words, w)
	}
}

// Text adds a string. It is copied, unless the column had the same before.
func (c *Column) Text(inst int32, s string) {
	if b, ok := c.next(inst); ok {
		if string(b) != s || b == nil {
			b = []byte(s)
		}
		c.dst.Blobs = append(c.dst.Blobs, b)
	}
}

// Bytes adds an aggregate or events, in the byte order of the wire. They are copied, unless the
// column had the same before.
func (c *Column) Bytes(inst int32, v []byte) {
	if b, ok := c.next(inst); ok {
		if !bytes.Equal(b, v) || b == nil {
			b = append([]byte{}, v...)
		}
		c.dst.Blobs = append(c.dst.Blobs, b)
	}
}

// next begins to add a value that is not a number, and returns the bytes that were in its place in
// an earlier fetch.
func (c *Column) next(inst int32) (old []byte, ok bool) {
	if c.metric.Type.Arithmetic() {
		c.Fail(pmerr.Type)
		return nil, false
	}
	if !c.Selects(inst) {
		return nil, false
	}
	c.dst.Insts = append(c.dst.Insts, inst)
	if n := len(c.dst.Blobs); n < cap(c.dst.Blobs) {
		old = c.dst.Blobs[: n+1 : n+1][n]
	}
	return old, true
}

// Values returns the column as it will be delivered, for metrics that do not keep to the rules:
// with values of instances that their domain has not, say.
func (c *Column) Values() *pcp.Values { return c.dst }

// A Scalar is a Go type that values of metrics can come from.
type Scalar interface {
	int | int32 | int64 | uint32 | uint64 | float32 | float64 | string
}

// One makes a Metric.Fetch for a singular metric. Value returns the value, converted to the
// metric's type.
func One[T Scalar](value func() T) func(*Column) error {
	return func(c *Column) error {
		put(c, pcp.NullInst, value())
		return nil
	}
}

// Always makes a Metric.Fetch for a singular metric whose value does not change.
func Always[T Scalar](value T) func(*Column) error {
	return One(func() T { return value })
}

// Each makes a Metric.Fetch that is called for each instance that is asked for. An error means that
// the instance has no value; see Column.Fail.
func Each[T Scalar](value func(inst int32) (T, error)) func(*Column) error {
	return func(c *Column) error {
		for _, i := range c.Instances() {
			if v, err := value(i.ID); err != nil {
				c.Fail(err)
			} else {
				put(c, i.ID, v)
			}
		}
		return nil
	}
}

func put[T Scalar](c *Column, inst int32, value T) {
	switch v := any(value).(type) {
	case int:
		c.Int(inst, int64(v))
	case int32:
		c.Int(inst, int64(v))
	case int64:
		c.Int(inst, v)
	case uint32:
		c.Uint(inst, uint64(v))
	case uint64:
		c.Uint(inst, v)
	case float32:
		c.Float(inst, float64(v))
	case float64:
		c.Float(inst, v)
	case string:
		c.Text(inst, v)
	}
}
