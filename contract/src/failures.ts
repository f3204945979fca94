/**
 * Why a session or a video failed, for good or until it is tried again. Kept with it, unlike an
 * error, which answers one request. A code, once published, never changes its meaning.
 */
export const failureCatalogue = {
  upload_expired:
    'No whole file arrived before the upload session expired. Create another session.',
  upload_cancelled: 'The upload session was cancelled before its file arrived.',
  upload_empty:
    'What storage received is too short to be a video: the form was posted without a field named `file`, or with an empty one. Create another session.',
  upload_too_large:
    'The file is larger than its session takes. Create another session with `file_size_bytes`.',
  not_a_video:
    'What was uploaded is something else: a playlist, a picture, an archive, a document. `detail` tells what it looks like. Upload the video itself.',
  container_not_supported:
    'The file is of a format that is not taken. Convert it, best to MP4, and upload it again.',
  file_damaged:
    'The file is cut off or damaged, so that nothing can be decoded. Check the original and upload it again.',
  no_video_stream: 'The file has no moving picture, only sound, text or a cover.',
  codec_not_supported:
    'The picture is encoded in a way that is not taken. Convert it, best to H.264, and upload it again.',
  picture_too_large: 'The picture is larger than is taken. Scale it down and upload it again.',
  video_too_long: 'The video is longer than is taken. Cut it into several.',
  video_too_short: 'The video has no duration to speak of.',
  duration_unknown:
    'The file does not tell how long it is, which recordings that were cut off tend not to. Remux it (for example `ffmpeg -i in -c copy out.mp4`) and upload it again.',
  too_many_streams: 'The file has more tracks than is taken. Remove those that are not needed.',
  sparse_video: 'The pictures of the video are so far apart that it is no video.',
  probe_too_costly:
    'Looking into the file takes more time, memory or reading than any ordinary video does. Convert it, best to MP4, and upload it again.',
  encoding_failed:
    'The file can be looked into, but a part of it cannot be encoded, which is tried several times. Convert it, best to MP4 with H.264, and upload it again.',
  key_provider_failed:
    'The video is protected by DRM, and its keys could not be had from the key provider. `detail` tells why. Once that is mended, retry.',
  processing_failed:
    'Processing failed as often as it may, for a reason that is not in the file. Once that is mended, retry.',
  processing_stopped_workers:
    'Whoever worked on the file was killed each time, so it is no longer tried. Retry, or upload it in another format.',
  processing_took_too_long:
    'The processing did not get on in the time that it has. Retry; if it happens again, ask who runs the service.',
} as const satisfies Record<string, string>

export type FailureCode = keyof typeof failureCatalogue
