import { useLingui } from '@lingui/react/macro'
import type { Failure } from 'reelkeep'

/** Returns a function that says in the user's language why a video could not be processed. */
export function useFailureText(): (failure: Failure) => string {
  const { t } = useLingui()
  return ({ code, detail }) => {
    const texts: Record<string, () => string> = {
      upload_expired: () => t`The file was not uploaded in time. Upload it again.`,
      upload_cancelled: () => t`The upload was cancelled.`,
      upload_empty: () => t`The file is empty. Choose another file.`,
      upload_too_large: () => t`The file is larger than allowed.`,
      not_a_video: () => t`The file is not a video. Choose another file.`,
      container_not_supported: () => t`This type of file is not supported. Convert it to MP4, MOV, MKV or WebM.`,
      file_damaged: () => t`The file is damaged. Export it again and upload the new file.`,
      no_video_stream: () => t`The file contains no video.`,
      codec_not_supported: () => t`The video uses a format that is not supported. Convert it to H.264.`,
      encoding_failed: () => t`The video could not be encoded.`,
      processing_failed: () => t`Processing failed. Try it again.`,
      processing_took_too_long: () => t`Processing took too long.`,
    }
    // Other reasons are shown in English.
    return texts[code]?.() ?? detail
  }
}
