import type { OrganizationId, WebhookId } from '../../kernel/ids.ts'
import type { Hand } from './endpoint-session.ts'

/** The claimed webhooks by organization. */
export class InHand {
  readonly #hands = new Map<OrganizationId, Map<WebhookId, Hand>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(organizationId: OrganizationId, webhookId: WebhookId, hand: Hand): void {
    const hands = this.#hands.get(organizationId) ?? new Map<WebhookId, Hand>()
    this.#hands.set(organizationId, hands.set(webhookId, hand))
    this.#size++
  }

  delete(organizationId: OrganizationId, webhookId: WebhookId): void {
    const hands = this.#hands.get(organizationId)
    if (!hands?.delete(webhookId)) return
    this.#size--
    if (hands.size === 0) this.#hands.delete(organizationId)
  }

  of(organizationId: OrganizationId): readonly Hand[] {
    return [...(this.#hands.get(organizationId)?.values() ?? [])]
  }

  /** Ids of one organization's webhooks, or of all. */
  ids(organizationId?: OrganizationId): readonly WebhookId[] {
    if (organizationId) return [...(this.#hands.get(organizationId)?.keys() ?? [])]
    return [...this.#hands.values()].flatMap((hands) => [...hands.keys()])
  }

  entries() {
    return [...this.#hands].flatMap(([organizationId, hands]) =>
      [...hands].map(([webhookId, hand]) => ({ organizationId, webhookId, hand })),
    )
  }
}
