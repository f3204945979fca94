import { useLingui } from '@lingui/react/macro'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { endOtherSessions, endSession, type Session } from '../../api/account.ts'
import { queryClient, sessionsQuery } from '../../app/queries.ts'
import { useDeviceText } from '../../app/texts/device-text.ts'
import { deviceOf } from '../../app/texts/devices.ts'
import { useProblemText } from '../../app/texts/problem-text.ts'
import { relativeTime } from '../../app/texts/times.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { icons } from '../../ui/icons.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Badge, Row, RowList } from '../../ui/row-list.tsx'

export function SessionsCard() {
  const { t } = useLingui()
  const problemText = useProblemText()
  const { data: sessions } = useSuspenseQuery(sessionsQuery)
  const others = sessions.filter(({ is_current: isCurrent }) => !isCurrent)
  const end = useMutation({
    mutationFn: (id: string | undefined) => (id === undefined ? endOtherSessions() : endSession(id)),
    onSettled: () => queryClient.invalidateQueries(sessionsQuery),
  })
  const endAll = (
    <Button isBusy={end.isPending} onClick={() => end.mutate(undefined)}>
      {t`Sign out all other devices`}
    </Button>
  )
  return (
    <Card
      title={t`Where you are signed in`}
      description={t`If you do not recognize a device, sign it out and change your password.`}
      action={others.length > 1 && endAll}
    >
      {end.error && <Notice kind="error">{problemText(end.error)}</Notice>}
      <RowList label={t`Where you are signed in`}>
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} onEnd={() => end.mutate(session.id)} />
        ))}
      </RowList>
    </Card>
  )
}

function SessionRow({ session, onEnd }: { readonly session: Session; readonly onEnd: () => void }) {
  const { t, i18n } = useLingui()
  const deviceText = useDeviceText()
  const { user_agent: userAgent, address, last_used_at: lastUsedAt, is_current: isCurrent } = session
  const name = deviceText(userAgent)
  const used = relativeTime(lastUsedAt, i18n.locale, Date.now())
  return (
    <Row
      icon={deviceOf(userAgent ?? '').isPhone ? icons.phone : icons.laptop}
      title={
        <>
          {name}
          {isCurrent && <Badge>{t`This device`}</Badge>}
        </>
      }
      details={address === null ? t`Last active ${used}` : t`Last active ${used}, IP address ${address}`}
      action={
        !isCurrent && (
          <Button size="small" aria-label={t`Sign out ${name}`} onClick={onEnd}>
            {t`Sign out`}
          </Button>
        )
      }
    />
  )
}
