# SPDX-License-Identifier: GPL-2.0
#
# An interval of "numa-policy top --json", with the shadow on all the time, as sums that must agree.

def sum(f): map(f) | add // 0;
def scans: .says != "skip";

.policy as $policy | .decisions as $decisions | {
	seconds, policy, policy_before, shadow, notes, reset, events, local_share,
	others: (.available - [$policy]),
	deciding: ($decisions | map(select(.decisions > 0).policy) | unique),
	skipped: ($decisions | map(select(.reason == "skip")) | sum(.decisions)),
	scanned: ($decisions | map(select(.reason != "skip" and .reason != "forced")) | sum(.decisions)),
	pages: ($decisions | sum(.pages)),
	pages_of_skip: ($decisions | map(select(.reason == "skip")) | sum(.pages)),
	asked: (.shadow_matrix | group_by(.other) | map({
		other: .[0].other,
		policies: (map(.policy) | unique),
		skipped: (map(select(scans | not)) | sum(.decisions)),
		scanned: (map(select(scans)) | sum(.decisions)),
		refused: (map(select(.other_says == "skip")) | sum(.decisions))
	}))
}
