import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import type { PlannedRendition } from 'reelkeep'
import { useProgress } from '../../../app/live/live.tsx'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { bitrateText } from '../formats.ts'
import { ProgressBar } from '../player/progress-bar.tsx'
import { StatusChip } from '../status-chip.tsx'
import { useVideo } from '../video-context.tsx'
import { partKey } from '../video-data.ts'
import styles from './files.module.css'

/** The qualities of the video: what was encoded, what was skipped, and why. */
export function Renditions() {
  const { t, i18n } = useLingui()
  const { id: organization, client } = useOrganization()
  const { asset } = useVideo()
  const { data: plan } = useQuery({
    queryKey: partKey(organization, asset.id, 'plan'),
    queryFn: ({ signal }) => client.assets.readPlan(asset.id, { signal }),
  })
  if (!plan) return null
  const { audio, frame_rate: frameRate } = plan
  const facts = [
    ...(frameRate === null ? [] : [t`${Math.round(frameRate * 100) / 100} fps`]),
    ...(audio ? [t`Audio ${bitrateText(audio.bitrate, i18n.locale)}`] : []),
  ]
  return (
    <>
      <ul className={styles.list} aria-label={t`Qualities`}>
        {plan.renditions.map((rendition) => (
          <RenditionRow key={rendition.name} rendition={rendition} />
        ))}
      </ul>
      {facts.length > 0 && <p className={styles.hint}>{facts.join(' · ')}</p>}
    </>
  )
}

function RenditionRow({ rendition }: { readonly rendition: PlannedRendition }) {
  const { i18n } = useLingui()
  const { asset } = useVideo()
  const live = useProgress(asset.id)?.renditions.find(({ name }) => name === rendition.name)
  const { name, status, reason, width, height, bitrate, decision } = rendition
  const percent = live?.progress ?? asset.video.renditions.find((encoded) => encoded.name === name)?.progress ?? 0
  return (
    <li className={styles.row}>
      <strong className={styles.name}>{name}</strong>
      <div className={styles.text}>
        {width !== null && (
          <p>
            {width} × {height}
            {bitrate !== null && ` · ${bitrateText(bitrate, i18n.locale)}`}
          </p>
        )}
        <p className={styles.hint}>{reason}</p>
        {status === 'Processing' && <ProgressBar label={name} percent={percent} />}
      </div>
      {decision === 'skipped' ? <Skipped /> : status && <StatusChip status={status} progress={percent} />}
    </li>
  )
}

function Skipped() {
  const { t } = useLingui()
  return <span className={styles.skipped}>{t`Skipped`}</span>
}
