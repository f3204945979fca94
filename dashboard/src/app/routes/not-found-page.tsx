import { useLingui } from '@lingui/react/macro'
import type { NotFoundRouteProps } from '@tanstack/react-router'
import { LinkButton } from '../../ui/button.tsx'
import { EntranceLayout } from '../entrance/entrance-layout.tsx'
import { PageTitle } from '../texts/page-title.tsx'

/** Data of pages that are not found because the user is no member of their organization. */
export const notMember = { isNotMember: true }

export function NotFoundPage({ data }: NotFoundRouteProps) {
  const { t } = useLingui()
  const isNotMember = data === notMember
  return (
    <EntranceLayout>
      <PageTitle title={isNotMember ? t`You are not a member of this organization` : t`This page does not exist`} />
      <p>
        {isNotMember
          ? t`You were removed, or you are signed in with another account. Ask an owner of the organization for an invitation.`
          : t`The address may be misspelled, or the page has moved.`}
      </p>
      <LinkButton look="primary" size="large" href="/">
        {t`Go to the home page`}
      </LinkButton>
    </EntranceLayout>
  )
}
