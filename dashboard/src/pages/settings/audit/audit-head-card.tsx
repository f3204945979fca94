import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { Card } from '../../../ui/card.tsx'
import { CopyButton } from '../../../ui/data/copy-button.tsx'
import styles from '../parts/parts.module.css'

/** The number and hash of the last entry, and what they are for. */
export function AuditHeadCard() {
  const { t } = useLingui()
  const { id, client } = useOrganization()
  const { data: head } = useQuery({
    queryKey: ['o', id, 'audit', 'head'],
    queryFn: ({ signal }) => client.audit.readHead({ signal }),
  })
  if (!head) return null
  const { number, hash } = head
  return (
    <Card
      title={t`Proof of integrity`}
      description={t`Each entry contains the fingerprint of the previous entry. Keep the number and the fingerprint of the last entry outside of this service: if a later export still contains them, all earlier entries are complete and unchanged.`}
      action={<CopyButton text={`${number} ${hash}`} label={t`Copy number and fingerprint`} />}
    >
      <dl className={styles.values}>
        <div>
          <dt>{t`Last entry`}</dt>
          <dd>{number}</dd>
        </div>
        <div>
          <dt>{t`Fingerprint`}</dt>
          <dd className={styles.mono}>{hash}</dd>
        </div>
      </dl>
    </Card>
  )
}
