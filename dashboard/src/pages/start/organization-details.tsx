import { useLingui } from '@lingui/react/macro'
import type { Membership } from '../../api/account.ts'
import { useRoleText } from '../../app/role-text.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { icons } from '../../ui/icons.tsx'
import styles from './start.module.css'

/** The library of the organization is not part of the dashboard yet; the page says what works today. */
export function OrganizationDetails({ membership }: { readonly membership: Membership }) {
  const { t } = useLingui()
  const { name: role, ability } = useRoleText()(membership.role)
  return (
    <Card title={membership.organization_name}>
      <dl className={styles.facts}>
        <dt>{t`Your role`}</dt>
        <dd>
          <strong>{role}</strong>
          {ability && <span>{ability}</span>}
        </dd>
        <dt>{t`Folders`}</dt>
        <dd>
          {membership.folder_uuid === null ? t`All folders` : t`One folder and everything in it`}
          {membership.folder_uuid !== null && <code>{membership.folder_uuid}</code>}
        </dd>
        <dt>{t`Organization ID`}</dt>
        <dd>
          <code>{membership.organization_id}</code>
        </dd>
      </dl>
      <div className={styles.next}>
        <h3>{t`The video library is not in the dashboard yet`}</h3>
        <p className={styles.text}>
          {t`Until then, upload and manage videos with the API, the SDK or the command line. Here you manage your account: passkeys, password and sessions.`}
        </p>
        <div className={styles.links}>
          <LinkButton look="primary" href="/docs/guides/uploading/" icon={icons.arrow}>
            {t`How to upload a video`}
          </LinkButton>
          <LinkButton href="/docs/">{t`Read the documentation`}</LinkButton>
        </div>
      </div>
    </Card>
  )
}
