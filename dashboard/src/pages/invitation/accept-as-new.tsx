import { useLingui } from '@lingui/react/macro'
import { acceptInvitation, type Invitation, providerUrl, readInvitationPasskeyOptions } from '../../api/account.ts'
import { LinkButton } from '../../ui/button.tsx'
import { icons } from '../../ui/icons.tsx'
import { CredentialForm } from '../credentials/credential-form.tsx'

type Props = { readonly token: string; readonly invitation: Invitation; readonly onDone: () => void }

/** For a person without an account, or with one that is not signed in. */
export function AcceptAsNew({ token, invitation, onDone }: Props) {
  const { t } = useLingui()
  return (
    <CredentialForm
      methods={invitation.methods}
      username={invitation.email}
      asksName
      otherWays={invitation.providers.map(({ id, name }) => (
        <LinkButton key={id} size="large" icon={icons.company} href={providerUrl(id, { invitation: token })}>
          {t`Continue with ${name}`}
        </LinkButton>
      ))}
      readPasskeyOptions={(name) => readInvitationPasskeyOptions(token, name)}
      submit={({ name, credential }) => acceptInvitation(token, { name, ...credential })}
      onDone={onDone}
    />
  )
}
