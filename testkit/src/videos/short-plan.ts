/** A plan for a video of one size without audio, with segments of four seconds. */
export const shortPlan = (segmentsTotal: number) => ({
  durationSeconds: 4 * segmentsTotal,
  frameRate: { numerator: 30, denominator: 1 },
  frames: 120 * segmentsTotal,
  segmentFrames: 120,
  gopFrames: 120,
  audio: null,
  tracks: [
    {
      ...{ name: '240p', width: 426, height: 240, codecs: 'avc1.64000d' },
      ...{ bitrateMax: 4e5, segmentsTotal },
    },
  ],
})
