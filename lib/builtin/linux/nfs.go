package linux

import (
	"bytes"
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

// operationDomains are the instance domains of operations of NFS. The numbers of
// instances begin with first.
var operationDomains = []struct {
	serial uint32
	first  int32
	names  string
	help   string
}{
	{7, 0, nfs2Operations, "Operations of NFS version 2"},
	{8, 0, nfs3Operations, "Operations of NFS version 3"},
	{14, 0, nfs4ClientOperations, "Operations of NFS version 4 of clients"},
	{15, 1, nfs4ServerOperations, "Operations of NFS version 4 of servers"},
}

// addNFS adds what NFS clients and servers count.
func (l *collector) addNFS() {
	domains := map[uint32]*pmda.InDom{}
	for _, o := range operationDomains {
		var list []pcp.Instance
		for i, name := range strings.Fields(o.names) {
			list = append(list, pcp.Instance{ID: o.first + int32(i), Name: name})
		}
		domains[o.serial] = l.fixed(o.serial, o.help, list...)
		l.InDoms[strconv.Itoa(int(o.serial))] = domains[o.serial]
	}
	l.nfs("nfs", map[string]*pmda.InDom{"proc2": domains[7], "proc3": domains[8], "proc4": domains[14]})
	l.nfs("nfsd", map[string]*pmda.InDom{"proc2": domains[7], "proc3": domains[8], "proc4ops": domains[15]})
	l.numbers("nfsthreads", "proc/fs/nfsd/pool_threads")
	l.file("nfspools", "proc/fs/nfsd/pool_stats", parsePools)
}

// nfs adds tables for a file of /proc/net/rpc: one with the name of the file for
// what is counted altogether, and one for the operations of each version.
func (l *collector) nfs(file string, versions map[string]*pmda.InDom) {
	t := l.Table(file, "/proc/net/rpc/"+file, func(t *procfs.Table, _ *pmda.Request) error {
		for key := range versions {
			l.Tables[file+key].Reset()
		}
		text, err := l.root.Read("proc/net/rpc/" + file)
		if err != nil {
			return procfs.Missing(err)
		}
		parseNFS(t, t.Row(pcp.NullInst), func(key string) (*procfs.Table, []pcp.Instance) {
			if d := versions[key]; d != nil {
				return l.Tables[file+key], d.Instances
			}
			return nil, nil
		}, text)
		return nil
	})
	for key := range versions {
		l.Alias(file+key, "/proc/net/rpc/"+file, t)
	}
}

// parseNFS reads a file of /proc/net/rpc:
//
//	net 10 11 12 13
//	proc3 22 2000 2001 ...
//
// The keys are net.1 and so on, and proc3 for the sum of the operations.
func parseNFS(t *procfs.Table, r *procfs.Row, version func(key string) (*procfs.Table, []pcp.Instance), text []byte) {
	var name []byte
	for len(text) > 0 {
		var line, word []byte
		line, text = procfs.Line(text)
		key, rest := procfs.Word(line)
		if ops, list := version(string(key)); ops != nil {
			_, rest = procfs.Word(rest) // how many there are
			parseOperations(t.Cell(r, key), ops, list, rest)
			continue
		}
		for i := uint64(1); i < 64; i++ {
			if word, rest = procfs.Word(rest); len(word) == 0 {
				break
			}
			name = strconv.AppendUint(append(append(name[:0], key...), '.'), i, 10)
			t.Cell(r, name).SetWord(word)
		}
	}
}

// parseOperations reads the numbers of operations, and adds them up. Operations
// that are newer than the names are left out.
func parseOperations(sum *procfs.Cell, ops *procfs.Table, list []pcp.Instance, line []byte) {
	var total uint64
	ops.Reset()
	for _, in := range list {
		var word []byte
		word, line = procfs.Word(line)
		n, ok := procfs.Uint(word)
		if !ok {
			break
		}
		total += n
		ops.Field(ops.Row(in.ID), 1).SetUint(n)
	}
	sum.SetUint(total)
}

// parsePools reads /proc/fs/nfsd/pool_stats: a heading, and a line for each pool.
// Field 1 is the number of pools, the others are sums.
func parsePools(t *procfs.Table, r *procfs.Row, text []byte) {
	var sums [8]uint64
	for len(text) > 0 {
		var line, word []byte
		line, text = procfs.Line(text)
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		sums[1]++
		_, rest := procfs.Word(line)
		for i := 2; i < len(sums); i++ {
			word, rest = procfs.Word(rest)
			n, _ := procfs.Uint(word)
			sums[i] += n
		}
	}
	for i, n := range sums {
		t.Field(r, i).SetUint(n)
	}
}
