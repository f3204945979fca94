/**
 * Reasons why an upload session or the processing of a video failed. A failure is stored with its resource;
 * an error (errors.ts) belongs to one request. A published code never changes its meaning.
 */
export const failureCatalogue = {
  upload_expired:
    'The upload session expired before the upload was complete. Create a new session and upload the file again.',
  upload_cancelled: 'The upload session was cancelled before the upload was complete.',
  upload_empty:
    'The uploaded file is empty or too small to be a video. Check that the last form field is named `file` and contains the video, then create a new session.',
  upload_too_large:
    'The file exceeds the maximum size of its session. Create a new session and pass `file_size_bytes`.',
  not_a_video:
    'The uploaded file is not a video but, for example, a playlist, an image, an archive or a document. `detail` names the detected type. Upload the video file itself.',
  container_not_supported:
    'The container format is not supported. Convert the file, preferably to MP4, and upload it again.',
  file_damaged: 'The file is truncated or damaged and cannot be decoded. Check the original and upload it again.',
  no_video_stream: 'The file has no video stream, only audio, text or a cover image.',
  codec_not_supported: 'The video codec is not supported. Convert the video, preferably to H.264, and upload it again.',
  picture_too_large: 'The frame size exceeds the limit. Scale the video down and upload it again.',
  video_too_long: 'The video exceeds the maximum duration. Split it into several files.',
  video_too_short: 'The video is too short to be processed.',
  duration_unknown:
    'The file has no duration, which often happens when a recording was interrupted. Remux it (for example `ffmpeg -nostdin -i in -c copy out.mp4`) and upload it again.',
  too_many_streams: 'The file has too many streams. Remove the ones you do not need and upload it again.',
  sparse_video: 'The frames of the video are too far apart. Re-encode it at a normal frame rate and upload it again.',
  probe_too_costly:
    'Probing the file exceeds the limits on time, memory or data read. Convert it, preferably to MP4, and upload it again.',
  encoding_failed:
    'The file can be read, but encoding a part of it failed repeatedly. Convert it, preferably to MP4 with H.264, and upload it again.',
  key_provider_failed:
    'The DRM key provider did not supply the keys for this video; `detail` explains why. Retry once the provider works.',
  processing_failed:
    'Processing failed repeatedly, and the file is not known to be the cause. Retry once the cause is fixed.',
  processing_stopped_workers:
    'Every worker that processed the file was killed, so processing stopped. Retry, or upload the video in another format.',
  processing_took_too_long:
    'Processing made no progress within its time limit. Retry; if it fails again, contact the operator of the service.',
} as const satisfies Record<string, string>

export type FailureCode = keyof typeof failureCatalogue
