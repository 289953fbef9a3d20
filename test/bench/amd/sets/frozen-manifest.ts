/** The frozen part as it was before the detector was tuned. Written once, then only compared. */
export const FROZEN_MANIFEST = {
  set: '12bb69c2358ae6bd',
  clips: 657,
  audio: '2ddf6524960f87ac',
}
