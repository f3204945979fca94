import { useLingui } from '@lingui/react/macro'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { queryClient } from '../../../app/queries.ts'
import { useProblemToast, useToast } from '../../../app/toasts.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { useVideo } from '../../video/video-context.tsx'
import { partKey } from '../../video/video-data.ts'
import styles from '../captions.module.css'
import { useCaptions } from '../captions-context.tsx'

/** The saved versions of the captions, each of which can be shown to viewers again. */
export function VersionsDialog({ onClose }: { readonly onClose: () => void }) {
  const { t, i18n } = useLingui()
  const { id: organization, client } = useOrganization()
  const { asset, player } = useVideo()
  const { track, editor } = useCaptions()
  const toast = useToast()
  const { data: versions = [] } = useQuery({
    queryKey: [...partKey(organization, asset.id, 'captions'), track.id, 'versions'],
    queryFn: async ({ signal }) => (await client.subtitles.listVersions(asset.id, track.id, { signal })).results,
  })
  const activate = useMutation({
    mutationFn: (number: number) => client.subtitles.activateVersion(asset.id, track.id, number),
    onSuccess: async ({ version }) => {
      await queryClient.invalidateQueries({ queryKey: partKey(organization, asset.id, 'captions') })
      void player.current?.refresh?.()
      toast(t`Viewers see version ${version} again.`)
      onClose()
    },
    onError: useProblemToast(),
  })
  const origins: Record<string, string> = {
    uploaded: t`Uploaded or edited`,
    generated: t`Generated`,
    embedded: t`From the file`,
  }
  return (
    <Dialog title={t`Versions of the captions`} onClose={onClose}>
      <p className={styles.hint}>
        {t`Each save adds a version, and the latest 20 are kept.`}{' '}
        {editor.isDirty && t`Save or undo your changes first.`}
      </p>
      <ul className={styles.versions}>
        {versions.map(({ number, origin, is_active: isActive, created_at: created }) => (
          <li key={number}>
            <p>
              <b>{t`Version ${number}`}</b>
              <small>
                {origins[origin] ?? origin} · {i18n.date(created, { dateStyle: 'medium', timeStyle: 'short' })}
              </small>
            </p>
            {isActive ? (
              <span className={styles.active}>{t`Current`}</span>
            ) : (
              <Button
                size="small"
                disabled={editor.isDirty}
                isBusy={activate.isPending && activate.variables === number}
                aria-label={t`Restore version ${number}`}
                onClick={() => activate.mutate(number)}
              >
                {t`Restore`}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
