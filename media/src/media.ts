export { type EncodePartOptions, encodePart } from './encode/encode-part.ts'
export type { EncodedPart, EncodedSegment, EncodedTrack, Keyframe, OutputFile } from './encode/output/encoded-part.ts'
export { codecsOf } from './encode/output/init-segment.ts'
export { isTooHeavy, PartFailed, PartInterrupted } from './encode/part-errors.ts'
export { encodeScratchBytes, PART_WALL_SECONDS_MAX } from './encode/part-limits.ts'
export type { SegmentCounts } from './encode/progress.ts'
export { clearInit, clearKeyframe } from './encryption/decrypt-keyframes.ts'
export type { Encryption, EncryptionKey, EncryptionScheme } from './encryption/encryption.ts'
export { type MissingFeature, missingFeatures, packagerVersion } from './ffmpeg-features/ffmpeg-features.ts'
export { clearKeyProtection, commonPssh } from './manifests/clear-key.ts'
export { writeDash } from './manifests/dash.ts'
export { writeIframePlaylist, writeMediaPlaylist, writeSubtitlePlaylist } from './manifests/hls/hls-media.ts'
export { writeMultivariant } from './manifests/hls/hls-multivariant.ts'
export { segmentName } from './manifests/names.ts'
export { targetDuration } from './manifests/rates.ts'
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
export { asAudioSegment, type Mp4Tracks, mp4Header, type SegmentGroup } from './mp4/mp4-file.ts'
export { type TimeRange, trackPart } from './part/track-part.ts'
export { waveformPart } from './part/waveform-part.ts'
export {
  type AudioPlan,
  type Part,
  type PartTrack,
  type Plan,
  type Rung,
  type RungName,
  rungNames,
  type SegmentRange,
  type SkippedRung,
  type TrackName,
  type VideoInputPlan,
} from './plan/plan.ts'
export { planVideo, type VideoOptions } from './plan/plan-video.ts'
export { type Container, containers } from './probe/container/container.ts'
export type { AudioFacts, ChapterFacts, Probe, Rational, SubtitleFacts, VideoFacts } from './probe/facts/probe-facts.ts'
export type { DynamicRange } from './probe/facts/video-facts.ts'
export { type ProbeOptions, probe } from './probe/probe.ts'
export {
  type InterruptionReason,
  ProbeInterrupted,
  UnusableMedia,
  type UnusableMediaCode,
} from './probe/unusable-media.ts'
export { type Proposal, type Proposals, proposalsOf } from './proposals/proposals.ts'
export { candidatesOf, cutIn } from './proposals/scene-changes.ts'
export { type FrameSpan, type RenderPlan, renderPlan, ticksBefore } from './render/render-plan.ts'
export { shiftSegment } from './render/shift-segment.ts'
export type { ExitStatus } from './sandbox/exit-status.ts'
export type { Limits } from './sandbox/limits.ts'
export {
  openSandbox,
  type Run,
  type RunObserver,
  runInSandbox,
  type Sandbox,
  type SandboxMode,
} from './sandbox/sandbox.ts'
export { SandboxUnavailable } from './sandbox/sandbox-unavailable.ts'
export type { Task, TaskInput } from './sandbox/task.ts'
export { DiskFailed, isDiskError } from './scratch/disk-errors.ts'
export { freeScratchBytes, ScratchSpace } from './scratch/scratch-space.ts'
export { abandonedDirectoryRemover, openScratch, type Scratch } from './scratch/temporary-directories.ts'
export type { ReadCosts } from './source/block-reader.ts'
export { fileObject } from './source/file-object.ts'
export { type ByteRange, type LocalFile, localFile, type Source, type SourceObject } from './source/source.ts'
export { cuesOf } from './subtitles/cues.ts'
export {
  type ExtractedTrack,
  type ExtractSubtitlesOptions,
  extractableStreams,
  extractSubtitles,
} from './subtitles/extract-subtitles.ts'
export { languageTitle } from './subtitles/language-name.ts'
export {
  type CueInText,
  momentsOf,
  readMoments,
  type TranscriptMoment,
} from './subtitles/moments/transcript-moments.ts'
export { moonshine } from './subtitles/moonshine/moonshine.ts'
export { findWeightsError } from './subtitles/moonshine/weights.ts'
export { openAiCompatible } from './subtitles/openai-compatible/openai-compatible.ts'
export { audioScratchBytes, SUBTITLE_SCRATCH_BYTES } from './subtitles/subtitle-limits.ts'
export { AudioUnreadable, type ExtractAudioOptions, extractAudio } from './subtitles/transcription/extract-audio.ts'
export {
  type AudioFile,
  type Phrase,
  type Transcriber,
  type Transcript,
  TranscriptionFailed,
} from './subtitles/transcription/transcriber.ts'
export { type TrackCue, toTrackCue, writeWebVtt } from './subtitles/webvtt.ts'
export { type ChosenFrames, chooseThumbnails } from './thumbnails/choose-thumbnails.ts'
export type { Sample } from './thumbnails/frame-score.ts'
export { singleKeyframe } from './thumbnails/single-keyframe.ts'
export { planFilmstrip, planStoryboard, type Storyboard, storyboardVtt } from './thumbnails/storyboard.ts'
export {
  type RenditionFile,
  readSamples,
  renderFrame,
  renderImage,
  renderStoryboard,
  renderThumbnail,
  SAMPLED_FRAMES_MAX,
  THUMBNAIL_SCRATCH_BYTES,
  ThumbnailsFailed,
} from './thumbnails/thumbnails.ts'
export { joinPeaks, type PartPeaks } from './waveform/peaks.ts'
export { writeWaveform } from './waveform/waveform.ts'
