import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Asset } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useProblemToast, useToast } from '../../../app/toasts.tsx'
import { useVideo } from '../video-context.tsx'

/** Returns a function that says that a video was created from a part of this one, and opens it on request. */
export function useCreated(): (created: Asset) => void {
  const { t } = useLingui()
  const { id: organization } = useOrganization()
  const toast = useToast()
  const navigate = useNavigate()
  return ({ id, title, video }) => {
    const params = { organization, video: id }
    const run = () => void navigate({ to: '/o/$organization/videos/$video', params })
    const text = video.status === 'Completed' ? t`“${title}” was created.` : t`“${title}” is being rendered.`
    toast(text, { action: { label: t`Open the video`, run } })
  }
}

/** Renders what the video shows as a video of its own. Segments under DRM cannot be copied. */
export function useRender() {
  const { client } = useOrganization()
  const { asset } = useVideo()
  const render = useMutation({
    mutationFn: () => client.clips.render(asset.id, {}),
    onSuccess: useCreated(),
    onError: useProblemToast(),
  })
  return { canRender: canRender(asset), render }
}

export const canRender = ({ video }: Pick<Asset, 'video'>) => video.content_protection_type !== 'drm'
