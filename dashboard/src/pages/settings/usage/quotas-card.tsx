import { useLingui } from '@lingui/react/macro'
import type { Usage } from 'reelkeep'
import { numberFormat } from '../../../app/texts/formats.ts'
import { Card } from '../../../ui/card.tsx'
import { sizeText } from '../../library/assets/formats.ts'
import styles from './usage.module.css'

type Quota = Usage['quotas']['assets']

/** The current use, and the limits that the operator has set. */
export function QuotasCard({ quotas }: { readonly quotas: Usage['quotas'] }) {
  const { t, i18n } = useLingui()
  const number = (value: number) => numberFormat(i18n.locale, { maximumFractionDigits: 1 }).format(value)
  const size = (value: number) => sizeText(value, i18n.locale)
  return (
    <Card title={t`Now`} description={t`Your operator sets the limits. Uploads are refused when one is reached.`}>
      <dl className={styles.quotas}>
        <QuotaView label={t`Storage`} quota={quotas.stored_bytes} text={size} />
        <QuotaView label={t`Videos`} quota={quotas.assets} text={number} />
        <QuotaView label={t`Minutes encoded this month`} quota={quotas.encoded_minutes} text={number} />
        <QuotaView label={t`Open uploads`} quota={quotas.open_sessions} text={number} />
      </dl>
    </Card>
  )
}

const NEARLY_FULL = 0.8

type Props = { readonly label: string; readonly quota: Quota; readonly text: (value: number) => string }

function QuotaView({ label, quota: { limit, used }, text }: Props) {
  const { t } = useLingui()
  const share = limit === null ? 0 : Math.min(1, used / Math.max(1, limit))
  const limitText = limit === null ? undefined : text(limit)
  return (
    <div className={styles.quota}>
      <dt>{label}</dt>
      <dd>
        <span className={styles.used}>{text(used)}</span>{' '}
        <span className={styles.limit}>{limitText === undefined ? t`no limit` : t`of ${limitText}`}</span>
        {limit !== null && (
          <svg className={styles.bar} viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
            <rect className={styles.track} width="100" height="4" />
            <rect
              className={styles.fill}
              data-full={share >= NEARLY_FULL || undefined}
              width={share * 100}
              height="4"
            />
          </svg>
        )}
      </dd>
    </div>
  )
}
