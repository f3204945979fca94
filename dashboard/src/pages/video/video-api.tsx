import { useLingui } from '@lingui/react/macro'
import { ApiExample, type Example } from '../../app/api-example/api-example.tsx'
import { useOrganization } from '../../app/organization/organization.tsx'
import { useVideo } from './video-context.tsx'

const SHARED_SECONDS = 7 * 86_400

/** How a program makes the main actions of the page. */
export function VideoApi() {
  const { t } = useLingui()
  const { can } = useOrganization()
  const { asset, canEdit } = useVideo()
  const { id, title } = asset
  const path = `/assets/${id}/` as const
  const read: Example = { title: t`Read the video`, request: `GET ${path}`, sdk: 'assets.read', args: [id] }
  const body = { title, tags: [...asset.tags, 'archive'] }
  const chapters = { chapters: [{ title: 'Intro', start_time: '00:00:00' }] }
  const changes: readonly Example[] = [
    { title: t`Change title and tags`, request: `PATCH ${path}`, body, sdk: 'assets.update', args: [id, body] },
    {
      ...{ title: t`Add a chapter`, request: `POST ${path}chapters/`, body: chapters },
      ...{ sdk: 'chapters.add', args: [id, chapters] },
    },
    { title: t`Move the video to the trash`, request: `DELETE ${path}`, sdk: 'assets.delete', args: [id] },
  ]
  const link = { expires_in_seconds: SHARED_SECONDS }
  const share: Example = {
    ...{ title: t`Create a link`, request: `POST ${path}access-tokens/`, body: link },
    ...{ sdk: 'accessTokens.create', args: [id, link] },
  }
  const examples = [read, ...(can('playback:write') ? [share] : []), ...(canEdit ? changes : [])]
  return <ApiExample examples={examples} />
}
