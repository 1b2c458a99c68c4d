// The only definition of a phrase pair's orientation; all other code uses it.
//
// A phrase pair covers source words [startF, endF] and target words [startE, endE]. Its orientation says where, in
// the source, the thing lies that comes just before it in the target (direction `backward`, row startE-1) or just
// after it (directions `forward` and `forward-moses`, row endE+1):
//
//   mono    adjoining, in the same order            swap   adjoining, in the opposite order
//   dright  apart, in the same order                dleft  apart, in the opposite order
//
// What that thing is, the model says (Galley & Manning 2008; SVM paper section 4):
//
//   word    the aligned word in the neighbouring row
//   phrase  a phrase pair within the length limit whose corner is there
//   hier    a phrase pair of any length, the whole sentence included, whose corner is there
//
// and where it has to be, the direction says:
//
//   backward       phrase pairs that END in row startE-1
//   forward        phrase pairs that BEGIN in row endE+1: the mirror image of `backward`, that is, the backward
//                  orientation when both sentences and the links are reversed
//   forward-moses  phrase pairs that END in row endE+1 (their startF to the right, their endF to the left), a habit of
//                  Moses' `extract`; for files that have to equal Moses'
//
// The word model knows no phrase pairs, so its `forward` and `forward-moses` are one.
//
// Words suffice in every model: a link at exactly one of the two corners decides, whatever the phrases say. The corner
// before the sentence and the one after it count as linked. All three models are decided at the finest class set
// (mslr); msd, monotonicity and leftright are coarser readings of the same code.
//
// `backward` equals Moses' in all, also in what is not symmetric:
//   1. Looking for a phrase pair to the right that is apart, the last source position is left out. `forward`, as its
//      mirror image, leaves out the first one to the left; `forward-moses` the last one to the right.
//   2. dright is also the answer when nothing is found on either side, or things on both; in all directions.
#pragma once

#include <cstdint>

namespace tartib {

enum Orientation : unsigned { kMono = 0, kSwap = 1, kDRight = 2, kDLeft = 3 };
enum OrientationModel : unsigned { kWord = 0, kPhrase = 1, kHier = 2 };
enum Direction : unsigned { kBackward = 0, kForward = 1, kForwardMoses = 2 };
constexpr unsigned kModels = 3, kDirections = 3;

// Sixteen bits hold all: two for each model and direction, `forward-moses` last and not twice for the word model.
constexpr unsigned orientation_shift(unsigned model, unsigned direction) {
  if (direction == kForwardMoses) return model == kWord ? orientation_shift(kWord, kForward) : 10 + 2 * model;
  return 4 * model + 2 * direction;
}

// What is known of a cell (target row, source column) of a sentence pair's alignment matrix. Of the phrase pairs that
// end in its row, or of those that begin there, it is the `right` corner (in column endF) or the `left` (startF).
enum CellFlag : uint8_t {
  kLinked = 1,
  kRightCornerWithin = 2, // of a pair within the length limit
  kLeftCornerWithin = 4,
  kRightCornerAny = 8, // of a pair of any length
  kLeftCornerAny = 16,
};

// The flags that count for each model.
constexpr uint8_t kRightCorner[kModels] = {0, kRightCornerWithin, kRightCornerAny};
constexpr uint8_t kLeftCorner[kModels] = {0, kLeftCornerWithin, kLeftCornerAny};

// For the things in a row: the leftmost `before` and the rightmost `after`, for each model.
struct RowExtent {
  int32_t leftmost[kModels];
  int32_t rightmost[kModels];
};

// The two sides of a phrase pair in one neighbouring row.
struct Neighbourhood {
  uint8_t left_cell;  // flags at startF-1
  uint8_t right_cell; // flags at endF+1
  int32_t start, end; // startF, endF
  const RowExtent &row;
};

inline unsigned orientation(unsigned model, unsigned direction, const Neighbourhood &n) {
  const bool link_left = n.left_cell & kLinked, link_right = n.right_cell & kLinked;
  const bool to_left = (link_left && !link_right) || (n.left_cell & kRightCorner[model]);
  const bool to_right = (link_right && !link_left) || (n.right_cell & kLeftCorner[model]);
  const bool same_order = direction == kBackward ? to_left : to_right;
  const bool opposite_order = direction == kBackward ? to_right : to_left;
  if (same_order) return kMono;
  if (opposite_order) return kSwap;
  // A linked word may adjoin here (when both corners are linked); a phrase pair that adjoins was found above.
  const int32_t gap = model == kWord ? 1 : 2;
  const bool far_left = n.row.leftmost[model] <= n.start - gap;
  const bool far_right = n.row.rightmost[model] >= n.end + gap;
  const bool apart_same = direction == kBackward ? far_left : far_right;
  const bool apart_opposite = direction == kBackward ? far_right : far_left;
  return apart_opposite && !apart_same ? kDLeft : kDRight;
}

// Of all models that have bits for this direction.
inline uint16_t orientations(unsigned direction, const Neighbourhood &n) {
  unsigned packed = 0;
  for (unsigned model = direction == kForwardMoses ? kPhrase : kWord; model < kModels; ++model)
    packed |= orientation(model, direction, n) << orientation_shift(model, direction);
  return static_cast<uint16_t>(packed);
}

} // namespace tartib
