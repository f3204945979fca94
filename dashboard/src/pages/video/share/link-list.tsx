import { useLingui } from '@lingui/react/macro'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { AccessToken } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { queryClient } from '../../../app/queries.ts'
import { relativeTime } from '../../../app/texts/times.ts'
import { useProblemToast, useToast } from '../../../app/toasts.tsx'
import { Button } from '../../../ui/button.tsx'
import { mediaIcons } from '../../../ui/media-icons.tsx'
import { Row, RowList } from '../../../ui/row-list.tsx'
import { useVideo } from '../video-context.tsx'
import { partKey } from '../video-data.ts'
import styles from './share.module.css'

/** The newest links are listed; older ones have usually expired. */
const LINKS_READ = 50

const isActive = ({ revoked_at: revokedAt, used_at: usedAt, expires_at: expiresAt }: AccessToken) =>
  revokedAt === null && usedAt === null && Date.parse(expiresAt) > Date.now()

/** Links that still work. */
export function LinkList() {
  const { t } = useLingui()
  const { id: organization, client, can } = useOrganization()
  const { asset } = useVideo()
  const queryKey = partKey(organization, asset.id, 'links')
  const { data = [] } = useQuery({
    queryKey,
    enabled: can('playback:read'),
    queryFn: async ({ signal }) =>
      (await client.accessTokens.list(asset.id, { limit: LINKS_READ }, { signal })).results,
  })
  const toast = useToast()
  const revoke = useMutation({
    mutationFn: (id: string) => client.accessTokens.revoke(asset.id, id),
    onError: useProblemToast(),
    onSuccess: () => {
      toast(t`The link no longer works.`)
      return queryClient.invalidateQueries({ queryKey })
    },
  })
  const active = data.filter(isActive)
  if (active.length === 0) return null
  return (
    <section className={styles.form} aria-label={t`Existing links`}>
      <h3>{t`Existing links`}</h3>
      <RowList label={t`Existing links`}>
        {active.map((link) => (
          <LinkRow key={link.id} link={link} onRevoke={() => revoke.mutate(link.id)} />
        ))}
      </RowList>
    </section>
  )
}

function LinkRow({ link, onRevoke }: { readonly link: AccessToken; readonly onRevoke: () => void }) {
  const { t, i18n } = useLingui()
  const name = link.viewer_id ?? t`Anyone with the link`
  const expires = relativeTime(link.expires_at, i18n.locale, Date.now())
  const details = [
    t`Expires ${expires}`,
    ...(link.single_use ? [t`single use`] : []),
    ...(link.referrers.length > 0 ? [link.referrers.join(', ')] : []),
  ]
  return (
    <Row
      icon={mediaIcons.share}
      title={name}
      details={details.join(' · ')}
      action={
        <Button size="small" look="danger" aria-label={t`Revoke the link for ${name}`} onClick={onRevoke}>
          {t`Revoke`}
        </Button>
      }
    />
  )
}
