import { useLingui } from '@lingui/react/macro'
import { clock, sizeText } from '../../library/assets/formats.ts'
import { timeText } from '../formats.ts'
import { useVideo } from '../video-context.tsx'
import styles from './details.module.css'

/** Facts about the file. Those that are not known yet are left out. */
export function Facts() {
  const { t, i18n } = useLingui()
  const { asset } = useVideo()
  const { video, bytes, created_at: createdAt, created_by: createdBy } = asset
  const protections = { disable: t`None`, aes: t`Encrypted (AES)`, drm: t`DRM` }
  const facts: readonly (readonly [string, string | null])[] = [
    [t`Duration`, video.duration === null ? null : clock(video.duration)],
    [t`Resolution`, video.width === null ? null : `${video.width} × ${video.height}`],
    [t`Size`, bytes === null ? null : sizeText(bytes, i18n.locale)],
    [t`Protection`, protections[video.content_protection_type]],
    [t`Uploaded`, timeText(createdAt, i18n.locale)],
    [t`Uploaded by`, createdBy.name],
  ]
  return (
    <dl className={styles.facts}>
      {facts.map(
        ([name, value]) =>
          value !== null && (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
      <dt>{t`Video ID`}</dt>
      <dd className={styles.id}>{asset.id}</dd>
    </dl>
  )
}
