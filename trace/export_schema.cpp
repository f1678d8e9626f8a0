#include "trace/export_schema.h"

#include <iterator>

namespace gputrace::trace {
namespace {

// In the order of Table.
constexpr TableDefinition kTables[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     "start INTEGER NOT NULL, \"end\" INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
     "contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
     "correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, "
     "shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER, "
     "registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, "
     "gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, "
     "staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, "
     "localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL, "
     "sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER, "
     "qmdBulkReleaseDone INTEGER, qmdPreexitDone INTEGER, qmdLastCtaDone INTEGER, graphId INTEGER, "
     "clusterX INTEGER, clusterY INTEGER, clusterZ INTEGER, clusterSchedulingPolicy INTEGER, "
     "maxPotentialClusterSize INTEGER, maxActiveClusters INTEGER, "
     "sharedMemoryRequestedPercentage INTEGER, tensorSizeMinusOneElements TEXT"},
    {"CUPTI_ACTIVITY_KIND_MEMCPY",
     "start INTEGER NOT NULL, \"end\" INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
     "contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
     "correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, "
     "deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER, srcDeviceId INTEGER, "
     "srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER, migrationCause INTEGER, "
     "graphNodeId INTEGER, virtualAddress INTEGER, copyCount INTEGER"},
    {"CUPTI_ACTIVITY_KIND_MEMSET",
     "start INTEGER NOT NULL, \"end\" INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
     "contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
     "correlationId INTEGER, globalPid INTEGER, value INTEGER NOT NULL, bytes INTEGER NOT NULL, "
     "graphNodeId INTEGER, memKind INTEGER"},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
     "start INTEGER NOT NULL, \"end\" INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
     "contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
     "correlationId INTEGER, globalPid INTEGER, deprecatedSyncType INTEGER, syncType INTEGER NOT NULL, "
     "eventId INTEGER NOT NULL, eventSyncId INTEGER"},
    {"CUPTI_ACTIVITY_KIND_CUDA_EVENT",
     "timestamp INTEGER, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, "
     "streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, eventId INTEGER NOT NULL, "
     "eventSyncId INTEGER"},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
     "start INTEGER NOT NULL, \"end\" INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
     "contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
     "correlationId INTEGER, globalPid INTEGER, graphId INTEGER NOT NULL, graphExecId INTEGER NOT NULL"},
    {"CUPTI_ACTIVITY_KIND_RUNTIME",
     "start INTEGER NOT NULL, \"end\" INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, "
     "correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER"},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD",
     "start INTEGER NOT NULL, \"end\" INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, "
     "correlationId INTEGER, nameId INTEGER, overheadType INTEGER NOT NULL"},
    {"NVTX_EVENTS",
     "start INTEGER NOT NULL, \"end\" INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, "
     "category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, "
     "textId INTEGER, domainId INTEGER, uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, "
     "uint32Value INTEGER, int32Value INTEGER, floatValue REAL, jsonTextId INTEGER, jsonText TEXT, "
     "binaryData TEXT"},
    {"TARGET_INFO_GPU",
     "vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT, isDiscrete INTEGER, "
     "l2CacheSize INTEGER, totalMemory INTEGER, memoryBandwidth INTEGER, clockRate INTEGER, "
     "smCount INTEGER, pwGpuId INTEGER, uuid TEXT, luid INTEGER, chipName TEXT, cuDevice INTEGER, "
     "ctxswDevPath TEXT, ctrlDevPath TEXT, revision INTEGER, nodeMask INTEGER, constantMemory INTEGER, "
     "maxIPC INTEGER, maxRegistersPerBlock INTEGER, maxShmemPerBlock INTEGER, "
     "maxShmemPerBlockOptin INTEGER, maxShmemPerSm INTEGER, maxRegistersPerSm INTEGER, "
     "threadsPerWarp INTEGER, asyncEngines INTEGER, maxWarpsPerSm INTEGER, maxBlocksPerSm INTEGER, "
     "maxThreadsPerBlock INTEGER, maxBlockDimX INTEGER, maxBlockDimY INTEGER, maxBlockDimZ INTEGER, "
     "maxGridDimX INTEGER, maxGridDimY INTEGER, maxGridDimZ INTEGER, computeMajor INTEGER, "
     "computeMinor INTEGER, smMajor INTEGER, smMinor INTEGER"},
    {"GPUTRACE_LINK",
     "kind INTEGER NOT NULL, source TEXT NOT NULL, destination TEXT NOT NULL, generation INTEGER, "
     "width INTEGER, bytesPerSecond INTEGER"},
    {"GPUTRACE_OP_PLACEMENT", "opName TEXT NOT NULL, opType TEXT, requestedDevice TEXT, device TEXT"},
};
static_assert(std::size(kTables) == static_cast<std::size_t>(Table::count));

// In the order of FileTable.
constexpr TableDefinition kFileTables[] = {
    {"PROFILER_OVERHEAD",
     "start INTEGER NOT NULL, \"end\" INTEGER NOT NULL, globalTid INTEGER, nameId INTEGER NOT NULL, "
     "overheadType INTEGER NOT NULL"},
    {"CUDA_GPU_MEMORY_USAGE_EVENTS",
     "start INTEGER NOT NULL, globalPid INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, "
     "address INTEGER NOT NULL, pc INTEGER NOT NULL, bytes INTEGER NOT NULL, memKind INTEGER NOT NULL, "
     "memoryOperationType INTEGER NOT NULL, name TEXT, correlationId INTEGER, streamId INTEGER, "
     "localMemoryPoolAddress INTEGER, localMemoryPoolReleaseThreshold INTEGER, localMemoryPoolSize INTEGER, "
     "localMemoryPoolUtilizedSize INTEGER, importedMemoryPoolAddress INTEGER, importedMemoryPoolProcessId INTEGER"},
    {"CUDA_GPU_MEMORY_POOL_EVENTS",
     "start INTEGER NOT NULL, globalPid INTEGER NOT NULL, deviceId INTEGER NOT NULL, address INTEGER NOT NULL, "
     "operationType INTEGER NOT NULL, poolType INTEGER NOT NULL, correlationId INTEGER, minBytesToKeep INTEGER, "
     "localMemoryPoolReleaseThreshold INTEGER, localMemoryPoolSize INTEGER, localMemoryPoolUtilizedSize INTEGER"},
    {"CUDA_UM_CPU_PAGE_FAULT_EVENTS",
     "start INTEGER NOT NULL, globalPid INTEGER NOT NULL, address INTEGER NOT NULL, originalFaultPc INTEGER, "
     "CpuInstruction INTEGER NOT NULL, module INTEGER NOT NULL, unresolvedFaultPc INTEGER, sourceFile INTEGER, "
     "sourceLine INTEGER"},
    {"CUDA_UM_GPU_PAGE_FAULT_EVENTS",
     "start INTEGER NOT NULL, \"end\" INTEGER NOT NULL, globalPid INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
     "address INTEGER NOT NULL, numberOfPageFaults INTEGER NOT NULL, faultAccessType INTEGER NOT NULL"},
    {"GPU_METRICS", "rawTimestamp INTEGER, timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER"},
    {"GPUTRACE_JIT",
     "start INTEGER NOT NULL, \"end\" INTEGER NOT NULL, globalTid INTEGER, deviceId INTEGER NOT NULL, "
     "correlationId INTEGER, operation INTEGER NOT NULL, entry INTEGER NOT NULL, cacheBytes INTEGER, cachePathId INTEGER"},
    {"GPUTRACE_EXTERNAL_CORRELATION",
     "correlationId INTEGER NOT NULL, externalKind INTEGER NOT NULL, externalId INTEGER NOT NULL, "
     "globalPid INTEGER NOT NULL"},
    {"GPUTRACE_COUNTER",
     "start INTEGER NOT NULL, globalPid INTEGER, deviceId INTEGER, nameId INTEGER NOT NULL, unitId INTEGER, value REAL NOT NULL"},
};
static_assert(std::size(kFileTables) == static_cast<std::size_t>(FileTable::count));

constexpr TableDefinition kNvtxPayloadTables[] = {
    {"NVTX_PAYLOAD_SCHEMAS",
     "domainId INTEGER, schemaId INTEGER, name TEXT, type INTEGER, flags INTEGER, numEntries INTEGER, "
     "payloadSize INTEGER, alignTo INTEGER"},
    {"NVTX_PAYLOAD_SCHEMA_ENTRIES",
     "domainId INTEGER NOT NULL, schemaId INTEGER NOT NULL, idx INTEGER NOT NULL, flags INTEGER, type INTEGER, "
     "name TEXT, description TEXT, arrayOrUnionDetail INTEGER, offset INTEGER"},
    {"NVTX_PAYLOAD_ENUMS", "domainId INTEGER, schemaId INTEGER, name TEXT, numEntries INTEGER, size INTEGER"},
    {"NVTX_PAYLOAD_ENUM_ENTRIES",
     "domainId INTEGER NOT NULL, schemaId INTEGER NOT NULL, idx INTEGER NOT NULL, name TEXT, value INTEGER, "
     "isFlag INTEGER"},
};

constexpr TableDefinition kTablesOfEveryTrace[] = {
    {"StringIds", "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL"},
    {"PROCESSES", "globalPid INTEGER, pid INTEGER, name TEXT"},
    {"ThreadNames", "nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER"},
    {"TARGET_INFO_SESSION_START_TIME", "utcEpochNs INTEGER, utcTime TEXT, localTime TEXT"},
    {"META_DATA_CAPTURE", "name TEXT NOT NULL, value TEXT"},
    {"META_DATA_EXPORT", "name TEXT NOT NULL, value TEXT"},
    {"GPUTRACE_FORMAT", "key TEXT NOT NULL, value TEXT"},
    {"GPUTRACE_CAPTURE", "key TEXT NOT NULL, value TEXT"},
    {"GPUTRACE_DIAGNOSTIC", "what TEXT NOT NULL, count INTEGER NOT NULL"},
};

constexpr EnumDefinition kEnumValues[] = {
    {"ENUM_CUDA_MEMCPY_OPER", 0, "CUDA_MEMCPY_KIND_UNKNOWN", "Unknown"},
    {"ENUM_CUDA_MEMCPY_OPER", 1, "CUDA_MEMCPY_KIND_HTOD", "Host-to-Device"},
    {"ENUM_CUDA_MEMCPY_OPER", 2, "CUDA_MEMCPY_KIND_DTOH", "Device-to-Host"},
    {"ENUM_CUDA_MEMCPY_OPER", 3, "CUDA_MEMCPY_KIND_HTOA", "Host-to-Array"},
    {"ENUM_CUDA_MEMCPY_OPER", 4, "CUDA_MEMCPY_KIND_ATOH", "Array-to-Host"},
    {"ENUM_CUDA_MEMCPY_OPER", 5, "CUDA_MEMCPY_KIND_ATOA", "Array-to-Array"},
    {"ENUM_CUDA_MEMCPY_OPER", 6, "CUDA_MEMCPY_KIND_ATOD", "Array-to-Device"},
    {"ENUM_CUDA_MEMCPY_OPER", 7, "CUDA_MEMCPY_KIND_DTOA", "Device-to-Array"},
    {"ENUM_CUDA_MEMCPY_OPER", 8, "CUDA_MEMCPY_KIND_DTOD", "Device-to-Device"},
    {"ENUM_CUDA_MEMCPY_OPER", 9, "CUDA_MEMCPY_KIND_HTOH", "Host-to-Host"},
    {"ENUM_CUDA_MEMCPY_OPER", 10, "CUDA_MEMCPY_KIND_PTOP", "Peer-to-Peer"},
    {"ENUM_CUDA_MEMCPY_OPER", 11, "CUDA_MEMCPY_KIND_UVM_HTOD", "Unified Host-to-Device"},
    {"ENUM_CUDA_MEMCPY_OPER", 12, "CUDA_MEMCPY_KIND_UVM_DTOH", "Unified Device-to-Host"},
    {"ENUM_CUDA_MEMCPY_OPER", 13, "CUDA_MEMCPY_KIND_UVM_DTOD", "Unified Device-to-Device"},
    {"ENUM_CUDA_MEM_KIND", 0, "CUDA_MEMOPR_MEMORY_KIND_PAGEABLE", "Pageable"},
    {"ENUM_CUDA_MEM_KIND", 1, "CUDA_MEMOPR_MEMORY_KIND_PINNED", "Pinned"},
    {"ENUM_CUDA_MEM_KIND", 2, "CUDA_MEMOPR_MEMORY_KIND_DEVICE", "Device"},
    {"ENUM_CUDA_MEM_KIND", 3, "CUDA_MEMOPR_MEMORY_KIND_ARRAY", "Array"},
    {"ENUM_CUDA_MEM_KIND", 4, "CUDA_MEMOPR_MEMORY_KIND_MANAGED", "Managed"},
    {"ENUM_CUDA_MEM_KIND", 5, "CUDA_MEMOPR_MEMORY_KIND_DEVICE_STATIC", "Device Static"},
    {"ENUM_CUDA_MEM_KIND", 6, "CUDA_MEMOPR_MEMORY_KIND_MANAGED_STATIC", "Managed Static"},
    {"ENUM_CUDA_MEM_KIND", 7, "CUDA_MEMOPR_MEMORY_KIND_UNKNOWN", "Unknown"},
    {"ENUM_CUPTI_SYNC_TYPE", 0, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN", "Unknown"},
    {"ENUM_CUPTI_SYNC_TYPE", 1, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE", "Event sync"},
    {"ENUM_CUPTI_SYNC_TYPE", 2, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT", "Stream wait sync"},
    {"ENUM_CUPTI_SYNC_TYPE", 3, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE", "Stream sync"},
    {"ENUM_CUPTI_SYNC_TYPE", 4, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE", "Context sync"},
    {"ENUM_CUPTI_OVERHEAD_TYPE", 0, "OVERHEAD_UNDEFINED", "Undefined"},
    {"ENUM_CUPTI_OVERHEAD_TYPE", 1, "OVERHEAD_UNKNOWN", "Unknown"},
    {"ENUM_CUPTI_OVERHEAD_TYPE", 2, "OVERHEAD_DRIVER_COMPILER", "Driver JIT compiler (CUDA)"},
    {"ENUM_CUPTI_OVERHEAD_TYPE", 3, "OVERHEAD_CUPTI_BUFFER_FLUSH", "Buffer flush (Profiler)"},
    {"ENUM_CUPTI_OVERHEAD_TYPE", 4, "OVERHEAD_CUPTI_INSTRUMENTATION", "Instrumentation (Profiler)"},
    {"ENUM_CUPTI_OVERHEAD_TYPE", 5, "OVERHEAD_CUPTI_RESOURCE", "Resource creation/destruction (Profiler)"},
    {"ENUM_CUPTI_OVERHEAD_TYPE", 6, "OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING",
     "Runtime module loading (CUDA)"},
    {"ENUM_CUPTI_OVERHEAD_TYPE", 7, "OVERHEAD_LAZY_FUNCTION_LOADING", "Lazy function loading (CUDA)"},
    {"ENUM_CUPTI_OVERHEAD_TYPE", 8, "OVERHEAD_COMMAND_BUFFER_FULL", "Command buffer full (CUDA)"},
    {"ENUM_CUPTI_STREAM_TYPE", 0, "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_UNKNOWN", "Unknown stream type"},
    {"ENUM_CUPTI_STREAM_TYPE", 1, "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT", "Default stream"},
    {"ENUM_CUPTI_STREAM_TYPE", 2, "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING", "Non-blocking stream"},
    {"ENUM_CUPTI_STREAM_TYPE", 3, "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL", "Null stream"},
    {"ENUM_CUDA_KERNEL_LAUNCH_TYPE", 0, "CUDA_KERNEL_LAUNCH_TYPE_UNKNOWN", "Unknown"},
    {"ENUM_CUDA_KERNEL_LAUNCH_TYPE", 1, "CUDA_KERNEL_LAUNCH_TYPE_REGULAR", "Regular"},
    {"ENUM_CUDA_KERNEL_LAUNCH_TYPE", 2, "CUDA_KERNEL_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE",
     "Coop Single Device"},
    {"ENUM_CUDA_KERNEL_LAUNCH_TYPE", 3, "CUDA_KERNEL_LAUNCH_TYPE_COOPERATIVE_MULTI_DEVICE",
     "Coop Multi Device"},
    {"ENUM_CUDA_FUNC_CACHE_CONFIG", 0, "CU_FUNC_CACHE_PREFER_NONE", "None"},
    {"ENUM_CUDA_FUNC_CACHE_CONFIG", 1, "CU_FUNC_CACHE_PREFER_SHARED", "Shared"},
    {"ENUM_CUDA_FUNC_CACHE_CONFIG", 2, "CU_FUNC_CACHE_PREFER_L1", "L1"},
    {"ENUM_CUDA_FUNC_CACHE_CONFIG", 3, "CU_FUNC_CACHE_PREFER_EQUAL", "Equal"},
    {"ENUM_CUDA_MEMPOOL_TYPE", 0, "CUPTI_ACTIVITY_MEMORY_POOL_TYPE_INVALID", "Invalid"},
    {"ENUM_CUDA_MEMPOOL_TYPE", 1, "CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL", "Local"},
    {"ENUM_CUDA_MEMPOOL_TYPE", 2, "CUPTI_ACTIVITY_MEMORY_POOL_TYPE_IMPORTED", "Imported"},
    {"ENUM_CUDA_MEMPOOL_OPER", 0, "CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_INVALID", "Invalid"},
    {"ENUM_CUDA_MEMPOOL_OPER", 1, "CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED", "Created"},
    {"ENUM_CUDA_MEMPOOL_OPER", 2, "CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_DESTROYED", "Destroyed"},
    {"ENUM_CUDA_MEMPOOL_OPER", 3, "CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED", "Trimmed"},
    {"ENUM_CUDA_DEV_MEM_EVENT_OPER", 0, "CUDA_DEV_MEM_EVENT_OPR_ALLOCATION", "Allocation"},
    {"ENUM_CUDA_DEV_MEM_EVENT_OPER", 1, "CUDA_DEV_MEM_EVENT_OPR_DEALLOCATION", "Deallocation"},
    {"ENUM_CUDA_UNIF_MEM_MIGRATION", 0, "CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_UNKNOWN", "Unknown"},
    {"ENUM_CUDA_UNIF_MEM_MIGRATION", 1, "CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_USER", "User prefetch"},
    {"ENUM_CUDA_UNIF_MEM_MIGRATION", 2, "CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_COHERENCE", "Page fault"},
    {"ENUM_CUDA_UNIF_MEM_MIGRATION", 3, "CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_PREFETCH", "Speculative prefetch"},
    {"ENUM_CUDA_UNIF_MEM_MIGRATION", 4, "CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_EVICTION", "Eviction"},
    {"ENUM_CUDA_UNIF_MEM_MIGRATION", 5, "CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_ACCESS_COUNTERS", "Access counters"},
    {"ENUM_CUDA_UNIF_MEM_ACCESS_TYPE", 0, "CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_UNKNOWN", "Unknown"},
    {"ENUM_CUDA_UNIF_MEM_ACCESS_TYPE", 1, "CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_READ", "Read"},
    {"ENUM_CUDA_UNIF_MEM_ACCESS_TYPE", 2, "CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_WRITE", "Write"},
    {"ENUM_CUDA_UNIF_MEM_ACCESS_TYPE", 3, "CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_ATOMIC", "Atomic"},
    {"ENUM_CUDA_UNIF_MEM_ACCESS_TYPE", 4, "CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_PREFETCH", "Prefetch"},
    {"ENUM_NSYS_EVENT_CLASS", 0, "TRACE_PROCESS_EVENT_CUDA_RUNTIME", "CUDA runtime"},
    {"ENUM_NSYS_EVENT_CLASS", 1, "TRACE_PROCESS_EVENT_CUDA_DRIVER", "CUDA driver"},
    {"ENUM_NSYS_EVENT_TYPE", 33, "NvtxCategory", "NvtxCategory"},
    {"ENUM_NSYS_EVENT_TYPE", 34, "NvtxMark", "NvtxMark"},
    {"ENUM_NSYS_EVENT_TYPE", 39, "NvtxThread", "NvtxThread"},
    {"ENUM_NSYS_EVENT_TYPE", 59, "NvtxPushPopRange", "NvtxPushPopRange"},
    {"ENUM_NSYS_EVENT_TYPE", 60, "NvtxStartEndRange", "NvtxStartEndRange"},
    {"ENUM_NSYS_EVENT_TYPE", 75, "NvtxDomainCreate", "NvtxDomainCreate"},
    {"ENUM_NSYS_EVENT_TYPE", 76, "NvtxDomainDestroy", "NvtxDomainDestroy"},
};

}  // namespace

constinit const TableDefinition kCudaDeviceTable{
    "TARGET_INFO_CUDA_DEVICE",
    "gpuId INTEGER, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL, uuid TEXT, numMultiprocessors INTEGER"};
constinit const TableDefinition kStreamTable{
    "TARGET_INFO_CUDA_STREAM",
    "streamId INTEGER NOT NULL, hwId INTEGER NOT NULL, vmId INTEGER NOT NULL, "
    "processId INTEGER NOT NULL, contextId INTEGER NOT NULL, priority INTEGER NOT NULL, "
    "flag INTEGER NOT NULL"};
constinit const TableDefinition kContextTable{
    "TARGET_INFO_CUDA_CONTEXT_INFO",
    "nullStreamId INTEGER NOT NULL, hwId INTEGER NOT NULL, vmId INTEGER NOT NULL, "
    "processId INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, "
    "parentContextId INTEGER, isGreenContext INTEGER, numMultiprocessors INTEGER, numTpcs INTEGER, "
    "tpcMask TEXT, workqueueResourceId INTEGER, workqueueConcurrencyLimit INTEGER, "
    "workqueueSharingScope INTEGER"};

constinit const TableDefinition kGpuMetricNameTable{
    "TARGET_INFO_GPU_METRICS", "typeId INTEGER, sourceId INTEGER, typeName TEXT, metricId INTEGER, metricName TEXT"};

std::span<const TableDefinition> nvtx_payload_tables() { return kNvtxPayloadTables; }

constinit const TableDefinition kClockTable{
    "GPUTRACE_CLOCK",
    "globalPid INTEGER NOT NULL, offsetNs INTEGER NOT NULL, driftPpb INTEGER NOT NULL, residualNs INTEGER NOT NULL, "
    "matchedCollectives INTEGER NOT NULL"};

std::span<const TableDefinition> tables_of_every_trace() { return kTablesOfEveryTrace; }

std::span<const EnumDefinition> enum_values() { return kEnumValues; }

const TableDefinition& definition(FileTable table) { return kFileTables[static_cast<std::size_t>(table)]; }

const TableDefinition& definition(Table table) { return kTables[static_cast<std::size_t>(table)]; }

}  // namespace gputrace::trace
