import { useLingui } from '@lingui/react/macro'
import type { Webhook } from 'reelkeep'
import { Badge } from '../../../ui/row-list.tsx'

/** Whether events are delivered. */
export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useLingui()
  const { enabled, disabled_reason: reason, failing_since: failingSince } = webhook
  if (enabled) return failingSince === null ? <Badge>{t`Active`}</Badge> : <Badge tone="warning">{t`Failing`}</Badge>
  const reasons: Record<string, string> = {
    expired: t`Off: expired`,
    failing: t`Off: too many failures`,
    gone: t`Off: the server refused it`,
  }
  return <Badge tone="bad">{reasons[reason ?? ''] ?? t`Off`}</Badge>
}
