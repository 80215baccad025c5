package linux

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// Names of operations of NFS, in the order in which the kernel counts them.
const (
	nfs2Operations = "null getattr setattr root lookup readlink read wrcache write create remove rename link symlink mkdir rmdir readdir statfs"
	nfs3Operations = "null getattr setattr lookup access readlink read write create mkdir symlink mknod remove rmdir rename link readdir readdir+ " +
		"statfs fsinfo pathconf commit"
	nfs4ClientOperations = "null read write commit open open_conf open_noat open_dgrd close setattr fsinfo renew setclntid confirm lock lockt locku " +
		"access getattr lookup lookup_root remove rename link symlink create pathconf statfs readlink readdir server_caps delegreturn getacl setacl " +
		"fs_locations rel_lkowner secinfo fsid_present exchange_id create_ses destroy_ses sequence get_lease_t reclaim_comp layoutget getdevinfo " +
		"layoutcommit secinfononam test_stateid free_stateid getdevlist bind_ses destroy_clntid seek allocate deallocate"
	nfs4ServerOperations = "op0-unused op1-unused op2-future access close commit create delegpurge delegreturn getattr getfh link lock lockt locku " +
		"lookup lookup_root nverify open openattr open_conf open_dgrd putfh putpubfh putrootfh read readdir readlink remove rename renew restorefh " +
		"savefh secinfo setattr setcltid setcltidconf verify write rellockowner bc_ctl bind_conn exchange_id create_ses destroy_ses free_stateid " +
		"getdirdeleg getdevinfo getdevlist layoutcommit layoutget layoutreturn secinfononam sequence set_ssv test_stateid want_deleg destroy_clid " +
		"reclaim_comp allocate copy copy_notify deallocate io_advise layouterror layoutstats offload_cancel offload_status read_plus seek write_same"
)

var operationDomains = []struct {
	serial string
	first  int32
	names  string
}{
	{"7", 0, nfs2Operations},
	{"8", 0, nfs3Operations},
	{"14", 0, nfs4ClientOperations},
	{"15", 1, nfs4ServerOperations},
}

func (l *collector) addNFS() {
	for _, o := range operationDomains {
		l.Fixed[o.serial] = pmda.Numbered(o.first, strings.Fields(o.names)...)
	}
	l.nfs("nfs", map[string]string{"proc2": "7", "proc3": "8", "proc4": "14"})
	l.nfs("nfsd", map[string]string{"proc2": "7", "proc3": "8", "proc4ops": "15"})
	l.Table("nfspools", "/proc/fs/nfsd/pool_stats", func(t *procfs.Table, _ *pmda.Request) error {
		threads, ok := l.Root.Number("proc/fs/nfsd/pool_threads")
		if !ok { // without their number nothing is known of pools
			return nil
		}
		r := t.Row(pcp.NullInst)
		if threads == 0 {
			for i := range r.Cells {
				r.Cells[i].SetUint(0)
			}
			return nil
		}
		text, err := l.Root.Read("proc/fs/nfsd/pool_stats")
		if parsePools(t, r, text); t.Field(r, 1).Kind == procfs.Number {
			t.Cell(r, []byte("threads")).SetUint(threads)
		}
		return procfs.Missing(err)
	})
}

// nfs adds tables for a file of /proc/net/rpc: the totals, and the operations of each version.
func (l *collector) nfs(file string, versions map[string]string) {
	l.File(file, "proc/net/rpc/"+file, func(t *procfs.Table, r *procfs.Row, text []byte) {
		for _, key := range slices.Sorted(maps.Keys(versions)) {
			parseOperations(nil, l.Tables[file+key], l.Fixed[versions[key]], nil)
		}
		parseNFS(t, r, func(key string) (*procfs.Table, []pcp.Instance) {
			if serial := versions[key]; serial != "" {
				return l.Tables[file+key], l.Fixed[serial]
			}
			return nil, nil
		}, text)
	})
	for key := range versions {
		l.Alias(file+key, file)
	}
}

// parseNFS reads a file of /proc/net/rpc:
//
//	net 10 11 12 13
//	proc3 22 2000 2001 ...
//
// The keys are net.1 and so on, proc3 for the sum of the operations. Lines that the file does not have count as zeros.
func parseNFS(t *procfs.Table, r *procfs.Row, version func(key string) (*procfs.Table, []pcp.Instance), text []byte) {
	for i := range r.Cells {
		r.Cells[i].SetUint(0)
	}
	var name []byte
	for line := range procfs.Lines(text) {
		key, rest := procfs.Word(line)
		if ops, list := version(string(key)); ops != nil {
			_, rest = procfs.Word(rest) // skip the number of operations
			parseOperations(t.Cell(r, key), ops, list, rest)
			continue
		}
		for i, word := range procfs.Words(rest) {
			name = strconv.AppendInt(append(append(name[:0], key...), '.'), int64(i+1), 10)
			t.Cell(r, name).SetWord(word)
		}
	}
}

// parseOperations reads the numbers of operations, and adds them up. Operations that are newer than
// the names are left out; those that the kernel does not have yet are 0.
func parseOperations(sum *procfs.Cell, ops *procfs.Table, list []pcp.Instance, line []byte) {
	var total uint64
	ops.Reset()
	for _, op := range list {
		ops.Field(ops.Row(op.ID), 1).SetUint(0)
	}
	for i, word := range procfs.Words(line) {
		n, ok := procfs.Uint(word)
		if !ok || i == len(list) {
			break
		}
		total += n
		ops.Field(&ops.Rows[i], 1).SetUint(n)
	}
	sum.SetUint(total)
}

// parsePools reads /proc/fs/nfsd/pool_stats: a heading, then a line for each pool, beginning with its number. Field 1 becomes
// the number of pools, the others are sums over pools. Without pools there are no values.
func parsePools(t *procfs.Table, r *procfs.Row, text []byte) {
	for line := range procfs.Lines(procfs.After(text, 1)) {
		t.Field(r, 1).Add(1)
		for i, word := range procfs.Words(procfs.Skip(line, 1)) {
			if n, ok := procfs.Uint(word); ok {
				t.Field(r, i+2).Add(n)
			}
		}
	}
}
