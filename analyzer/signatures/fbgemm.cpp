// FBGEMM: embedding tables of recommendation models, their exchange between GPUs, and fp8 conversions.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr Meaning kWork[] = {
    {"codegen_forward", "embedding lookup", kEmbedding},
    {"find_long_segments", "embedding gradient, long rows", kEmbedding},
    {"rowwise_adagrad", "embedding gradient + adagrad", kEmbedding},
    {"adagrad", "embedding gradient + adagrad", kEmbedding},
    {"codegen_backward", "embedding gradient", kEmbedding},
    {"backward_codegen", "embedding gradient", kEmbedding},
    {"embedding", "embedding", kEmbedding},
    {"bounds_check_indices", "check of embedding indices", kEmbedding},
    {"block_bucketize", "bucketing of indices", kEmbedding},
    {"bucketize", "bucketing of indices", kEmbedding},
    {"permute", "permutation of indices", kEmbedding},
    {"offsets_range", "offsets of embedding bags", kEmbedding},
    {"recat_copy", "reorder of embeddings", kLayoutChange},
    {"qparam", "scales of a quantization", kReduction},
    {"quantize", "quantization", kLayoutChange},
    {"to_float", "dequantization", kLayoutChange},
    {"linearize", "linear embedding indices", kEmbedding},
};

std::optional<Explanation> explain_fbgemm(const ParsedName& name) {
  const std::string_view base = name.base();
  const bool is_plain = base.starts_with("split_embedding") || base.starts_with("dense_embedding") ||
                        base.starts_with("bounds_check_indices") || base.starts_with("recat_copy");
  if (!name.in_namespace("fbgemm_gpu") && !is_plain) return std::nullopt;
  ExplanationParts parts{.library = "fbgemm",
                         .operation = readable(base),
                         .op_class = kEmbedding,
                         .type = first_element_type(name)};
  if (const Meaning* work = find_meaning(kWork, base)) {
    parts.operation = work->operation;
    parts.op_class = work->op_class;
  }
  parts.details = {contains(base, "unweighted") ? "unweighted"
                   : contains(base, "weighted") ? "weighted"
                                                : "",
                   contains(base, "cta_per_row")    ? "long rows: one block each"
                   : contains(base, "warp_per_row") ? "short rows: one warp each"
                                                    : ""};
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily fbgemm{"fbgemm", 44, explain_fbgemm};

}  // namespace gputrace::analyzer
