#!/bin/sh
# Makes a small corpus for import_fuzz: one small file of every format that gputrace reads.
# Usage: tests/fuzz/make_import_corpus.sh BUILD_FOLDER CORPUS_FOLDER; the build must have gputrace.
set -eu
gputrace=$(cd "$1" && pwd)/bin/gputrace
corpus=$2
mkdir -p "$corpus"
cat > "$corpus/kineto" <<'END'
{"schemaVersion": 1, "distributedInfo": {"rank": 0}, "deviceProperties": [{"id": 0, "name": "G"}], "traceEvents": [
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": 1.5, "dur": 2, "args": {"correlation": 3}},
{"ph": "X", "cat": "kernel", "name": "conv", "pid": 0, "tid": 7, "ts": 5, "dur": 2, "args": {"device": 0, "stream": 7, "correlation": 3, "grid": [1, 2, 3]}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": 7, "ts": 8, "dur": 1, "args": {"device": 0, "bytes": 4}},
{"ph": "C", "name": "queue", "pid": 9, "ts": 2, "args": {"length": 3, "free": "20"}},
{"ph": "i", "s": "t", "name": "[memory]", "pid": 9, "tid": 9, "ts": 5, "args": {"Device Type": 1, "Device Id": 0, "Bytes": -256}},
{"ph": "B", "cat": "a", "name": "r", "pid": 9, "tid": 9, "ts": 1}, {"ph": "E", "pid": 9, "tid": 9, "ts": 2}]}
END
cat > "$corpus/rocprof_json" <<'END'
{"traceEvents":[{},{"args":{"name":"1 CPU HIP API"},"ph":"M","pid":2,"name":"process_name"},{"args":{"name":"2 COPY"},"ph":"M","pid":1,"name":"process_name"},
{"args":{"name":"3 GPU1"},"ph":"M","pid":7,"name":"process_name"},
{"ts":"5","dur":"2","ph":"X","name":"_Z3addPf.kd","pid":7,"tid":0,"args":{"BeginNs":"5003","EndNs":"7007","dev-id":"1","queue-id":"2","pid":"4711"}},
{"ts":"9","dur":"1","ph":"X","name":"CopyHostToDevice","pid":1,"tid":0,"args":{"BeginNs":"9001","EndNs":"9999"}}]}
END
cat > "$corpus/tensorflow_timeline" <<'END'
{"traceEvents": [{"name":"process_name","ph":"M","pid":1,"args":{"name":"/job:a/task:0/device:CPU:0 Compute"}},
{"name":"process_name","ph":"M","pid":3,"args":{"name":"/device:GPU:0/stream:all Compute"}},
{"ph":"X","cat":"Op","name":"MatMul","pid":1,"tid":0,"ts":1,"dur":2,"args":{"name":"t/MatMul","op":"MatMul","input0":"x"}},
{"ph":"X","cat":"Op","name":"MatMul","pid":3,"tid":0,"ts":4,"dur":2,"args":{"name":"t/MatMul","op":"MatMul"}}]}
END
cat > "$corpus/horovod" <<'END'
[{"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "t"}},
{"ph": "B", "name": "NEGOTIATE_ALLREDUCE", "ts": 1, "pid": 1}, {"ph": "X", "name": "0", "ts": 2, "pid": 1, "dur": 0}, {"ph": "E", "ts": 3, "pid": 1},
END
printf 'conv1: (Conv2D): /job:localhost/replica:0/task:0/device:GPU:0\nExecuting op Add in device /job:a/device:CPU:0\n' > "$corpus/placement"
printf '"Start","Duration","Grid X","Device","Context","Stream","Name","Correlation_ID"\nms,us,,,,,,\n1.5,2.0,1,"G (0)","1","7","conv",3\n2.5,2.0,,"G (0)","1","7","[CUDA memcpy HtoD]",4\n' > "$corpus/nvprof_csv"
printf '   Start  Duration            Grid Size  Device   Context    Stream  Name\n246.87ms  1.2160us              (1 1 1)   G (0)         1         7  conv [3]\n' > "$corpus/nvprof_text"
printf '"Index","KernelName","gpu-id","queue-id","pid","tid","grd","wgr","BeginNs","EndNs"\n0,"add.kd",1,2,7,8,64,64,100,400\n' > "$corpus/rocprof_csv"
sqlite3 "$corpus/nsys" "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES(1,'conv'); CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, demangledName INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1,5,0,1);"
sqlite3 "$corpus/rocpd" "CREATE TABLE rocpd_string(id INTEGER, string TEXT); CREATE TABLE rocpd_op(start INTEGER, end INTEGER, gpuId INTEGER, queueId INTEGER, description_id INTEGER, opType_id INTEGER); INSERT INTO rocpd_op VALUES(1,5,0,0,1,1);"
sqlite3 "$corpus/nvprof" "CREATE TABLE StringTable(_id_ INTEGER, value TEXT); CREATE TABLE Version(version INTEGER); INSERT INTO Version VALUES(22); CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER(_id_ INTEGER, flags INTEGER, timestamp INTEGER, id INTEGER, objectKind INTEGER, objectId BLOB, name INTEGER, domain INTEGER);"
"$gputrace" export "$corpus/kineto" --format perfetto --force -o "$corpus/perfetto"
"$gputrace" export "$corpus/kineto" --format chrome --force -o "$corpus/own_chrome"
for file in kineto tensorflow_timeline perfetto; do { printf g; cat "$corpus/$file"; } > "$corpus/gzip_$file"; done
ls "$corpus" | wc -l
