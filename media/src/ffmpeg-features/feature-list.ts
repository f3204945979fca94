/** Parses the lists that ffmpeg prints. Pure. */
import type { FeatureKind } from './required-features.ts'

/**
 * Patterns of the lines with a name. All lists except those of filters and bitstream filters also contain a
 * legend, which the patterns must not match.
 */
const linePatterns: Record<FeatureKind, RegExp> = {
  encoders: /^ [VAS][.A-Z]{5} (\w\S*)/,
  decoders: /^ [VAS][.A-Z]{5} (\w\S*)/,
  filters: /^ [.TSC|]{3} (\S+) +\S+->\S+/,
  muxers: /^ [ D]E (\S+)/,
  demuxers: /^ D[ E] (\S+)/,
  bsfs: /^(\w+)$/,
}

/** Returns all names in a list. One line may contain several names: "mov,mp4,m4a". */
export const parseFeatureNames = (kind: FeatureKind, text: string): Set<string> =>
  new Set(text.split('\n').flatMap((line) => linePatterns[kind].exec(line)?.[1]?.split(',') ?? []))
