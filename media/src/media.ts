export { type MissingAbility, missingAbilities, packagerVersion } from './abilities/abilities.ts'
export { clearInit, clearKeyframe } from './encryption/clear-copies.ts'
export type { Encryption, EncryptionKey, EncryptionScheme } from './encryption/encryption.ts'
export { clearKeyProtection, commonPssh } from './manifests/clear-key.ts'
export { writeDash } from './manifests/dash.ts'
export {
  writeIframePlaylist,
  writeMediaPlaylist,
  writeSubtitlePlaylist,
} from './manifests/hls-media.ts'
export { writeMultivariant } from './manifests/hls-multivariant.ts'
export { segmentName } from './manifests/names.ts'
export { targetOf } from './manifests/rates.ts'
export type {
  AudioTrack,
  DashProtection,
  Growth,
  Listing,
  Rates,
  SegmentKey,
  Stream,
  StreamSegment,
  StreamTrack,
  SubtitleTrack,
  TrackProtection,
  VideoTrack,
} from './manifests/stream.ts'
export type { Keyframe, MadeFile, MadePart, MadeSegment, MadeTrack } from './part/made-part.ts'
export { type MakePartOptions, makePart } from './part/make-part.ts'
export { isTooHeavy, PartFailed, PartInterrupted } from './part/part-failed.ts'
export { PART_WALL_SECONDS_MAX } from './part/part-limits.ts'
export type { MadeSegments } from './part/progress.ts'
export { type Chosen, choosePictures } from './pictures/choose.ts'
export { keyframeAlone } from './pictures/keyframe-alone.ts'
export {
  lookThrough,
  PicturesFailed,
  type RenditionFile,
  takePicture,
} from './pictures/pictures.ts'
export { planStoryboard, type Storyboard, storyboardVtt } from './pictures/storyboard.ts'
export {
  type AudioPlan,
  type LeftOutRung,
  type Part,
  type PartTrack,
  type PicturePlan,
  type Plan,
  type Rung,
  type RungName,
  rungNames,
  type SegmentRange,
  type TrackName,
} from './plan/plan.ts'
export { planVideo, type VideoWish } from './plan/plan-video.ts'
export { type Container, containers } from './probe/container.ts'
export { type ProbeOptions, probe } from './probe/probe.ts'
export type {
  AudioFacts,
  ChapterFacts,
  Probe,
  Rational,
  SubtitleFacts,
  VideoFacts,
} from './probe/probe-facts.ts'
export {
  type InterruptionReason,
  ProbeInterrupted,
  UnusableMedia,
  type UnusableMediaCode,
} from './probe/unusable-media.ts'
export type { DynamicRange } from './probe/video-facts.ts'
export type { Ending } from './sandbox/ending.ts'
export type { Limits } from './sandbox/limits.ts'
export {
  openSandbox,
  type Run,
  runInSandbox,
  type Sandbox,
  type SandboxMode,
  type Watch,
} from './sandbox/sandbox.ts'
export { SandboxUnavailable } from './sandbox/sandbox-unavailable.ts'
export type { Task, TaskInput } from './sandbox/task.ts'
export { openScratch, type Scratch } from './sandbox/temporary-directories.ts'
export type { ReadCosts } from './source/block-reader.ts'
export { fileObject } from './source/file-object.ts'
export {
  type ByteRange,
  type LocalFile,
  localFile,
  type Source,
  type SourceObject,
} from './source/source.ts'
export {
  type CarriedTrack,
  type CarryWish,
  carriedStreams,
  carrySubtitles,
} from './subtitles/carry-subtitles.ts'
export { cuesOf } from './subtitles/cues.ts'
export { extractSound, SoundUnreadable, type SoundWish } from './subtitles/extract-sound.ts'
export { languageTitle } from './subtitles/language-name.ts'
export { moonshine } from './subtitles/moonshine/moonshine.ts'
export { weightsFault } from './subtitles/moonshine/weights.ts'
export { openAiCompatible } from './subtitles/openai-compatible/openai-compatible.ts'
export { readTrack, type TrackFault } from './subtitles/read-track.ts'
export {
  type Phrase,
  type Recogniser,
  RecognitionFailed,
  type Sound,
  type Transcript,
} from './subtitles/recogniser.ts'
export { type TrackCue, toTrackCue, writeWebVtt } from './subtitles/webvtt.ts'
