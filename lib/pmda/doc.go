// Package pmda writes agents: programs that have metrics for the daemon, which asks them on behalf
// of its clients.
//
// An agent is a [Table] of metrics, from which [New] makes an [Agent]:
//
//	func newAgent(o *pmda.Options) (pmda.Provider, error) {
//		return pmda.New(pmda.Table{Domain: o.DomainOr(450), Metrics: []pmda.Metric{{
//			Name: "hello.seconds", Type: pcp.Uint64, Sem: pcp.Counter, Units: pcp.Units{DimTime: 1, ScaleTime: pcp.Sec},
//			OneLine: "seconds since 1970",
//			Fetch:   pmda.One(func() int64 { return time.Now().Unix() }),
//		}}})
//	}
//
//	func main() { os.Exit(pmda.Main(newAgent)) }
//
// [Main] is a whole program: it understands the usual options of agents and serves the daemon over
// the given pipe or socket. [Serve] serves a connection that is already open.
//
// Values come from [One], [Each] or a function that fills a [Column]. Several metrics may need the
// same [Reading], which runs once per request. A [Cache] numbers instances that come and go;
// [Events] builds event values, and a [Queue] keeps events until all clients have read them.
//
// Where a table is not enough, embed the [Agent] and override its methods, or add those of the
// optional interfaces of a [Provider]:
//
//	type agent struct {
//		*pmda.Agent
//		fetches int
//	}
//
//	func (a *agent) Fetch(ctx context.Context, req *pmda.Request, dst *pcp.Result) error {
//		a.fetches++
//		return a.Agent.Fetch(ctx, req, dst)
//	}
package pmda
