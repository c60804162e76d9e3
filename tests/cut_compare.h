// What h5py finds different in two files of demos, but for what a cut is about.
#ifndef CUT_COMPARE_H
#define CUT_COMPARE_H

namespace {

/* Compares two files object by object on plain h5py. argv: source, result, then demo:from:to or
 * demo:drop, and "marks" or "none". Prints what differs. */
const char kCompare[] = R"py(
import h5py, json, sys
a, b = h5py.File(sys.argv[1], "r"), h5py.File(sys.argv[2], "r")
plan = dict((p.split(":")[0], p.split(":")[1:]) for p in sys.argv[4:])
marks = sys.argv[3] == "marks"
bad = []
def attrs(x, y, path):
    mine = {"total", "num_demos", "num_samples", "total_steps", "success", "playhead_provenance"}
    for k in sorted(set(x.attrs) | set(y.attrs)):
        if k in mine: continue
        if k not in x.attrs or k not in y.attrs: bad.append(path + "@" + k); continue
        p, q = x.attrs.get_id(k), y.attrs.get_id(k)
        if p.dtype != q.dtype or p.shape != q.shape or not p.get_type().equal(q.get_type()): bad.append(path + "@" + k + " type")
        v, w = x.attrs[k], y.attrs[k]
        if hasattr(v, "tobytes"): v, w = v.tobytes(), w.tobytes()
        if v != w: bad.append(path + "@" + k)
def same(x, y, path, first, n):
    p, q = x.id.get_create_plist(), y.id.get_create_plist()
    if not x.id.get_type().equal(y.id.get_type()): bad.append(path + " type")
    if p.get_layout() != q.get_layout() or x.chunks != y.chunks: bad.append(path + " layout")
    if [p.get_filter(i) for i in range(p.get_nfilters())] != [q.get_filter(i) for i in range(q.get_nfilters())]: bad.append(path + " filters")
    if x.maxshape[1:] != y.maxshape[1:] or (x.maxshape[:1] == (None,)) != (y.maxshape[:1] == (None,)): bad.append(path + " limits")
    v, w = x[()], y[()]
    if n is not None: v = v[first:first + n]
    if getattr(v, "shape", None) != getattr(w, "shape", None): bad.append("%s %s %s" % (path, v.shape, w.shape)); return
    ok = v.tobytes() == w.tobytes() if v.dtype != object else list(v.ravel()) == list(w.ravel())
    if not ok: bad.append(path + " bytes")
    if n is None and x.chunks:
        if x.id.get_num_chunks() != y.id.get_num_chunks(): bad.append(path + " chunks")
        for i in range(x.id.get_num_chunks()):
            o = x.id.get_chunk_info(i).chunk_offset
            if x.id.read_direct_chunk(o) != y.id.read_direct_chunk(o): bad.append(path + " raw chunk")
def demo(x, y, path, below, first, n, rows):
    attrs(x, y, path)
    if set(x) != set(y): bad.append(path + " names")
    for k in x:
        name = below + k
        if isinstance(x[k], h5py.Group): demo(x[k], y[k], path + "/" + k, name + "/", first, n, rows); continue
        d = x[k].shape[0] - rows if x[k].shape else None
        cut = d in (0, 1) and not name.startswith(("src_demo_inds", "initial_state"))
        attrs(x[k], y[k], path + "/" + k)
        if marks and name in ("rewards", "dones"):
            v = y[k][()].ravel()
            want = [0] * (n - 1) + [1]
            if list(v.astype(int)) != want or x[k].dtype != y[k].dtype: bad.append(path + "/" + k + " marks")
        elif cut: same(x[k], y[k], path + "/" + k, first, n + d)
        else: same(x[k], y[k], path + "/" + k, 0, None)
attrs(a, b, ""); attrs(a["data"], b["data"], "/data")
total = 0
for k in a["data"]:
    p = plan.get(k)
    if not isinstance(a["data"][k], h5py.Group): same(a["data"][k], b["data"][k], "/data/" + k, 0, None); continue
    if p == ["drop"]:
        if k in b["data"]: bad.append(k + " is there")
        continue
    first, last = int(p[0]), int(p[1])
    x, y = a["data"][k], b["data"][k]
    rows = x["actions"].shape[0] if "actions" in x else x["joint_velocities"].shape[0]
    demo(x, y, "/data/" + k, "", first, last - first, rows)
    total += last - first
    if "num_samples" in x.attrs and (y.attrs["num_samples"] != last - first or y.attrs["num_samples"].dtype != x.attrs["num_samples"].dtype): bad.append(k + " num_samples")
    json.loads(y.attrs["playhead_provenance"])
if "total" in a["data"].attrs and b["data"].attrs["total"] != total: bad.append("total")
if "num_demos" in a["data"].attrs and b["data"].attrs["num_demos"] != len([p for p in plan.values() if p != ["drop"]]): bad.append("num_demos")
if ("mask" in a) != ("mask" in b): bad.append("mask")
for k in a["mask"] if "mask" in a else []:
    want = [t for t in a["mask"][k] if plan.get(t.decode()) != ["drop"]]
    if list(b["mask"][k]) != want or a["mask"][k].dtype != b["mask"][k].dtype: bad.append("mask/" + k)
print("; ".join(bad))
)py";

} // namespace

#endif
