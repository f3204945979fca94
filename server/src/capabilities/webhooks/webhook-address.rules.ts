/**
 * Which addresses a webhook may have. What can be seen from the address itself is refused at once,
 * so that the caller learns of it; where a name leads is only known when it is called, and judged
 * again then.
 */
import { refused } from '../../kernel/errors.ts'

const URL_LENGTH_MAX = 2048

/** Where the operator lets us be sent to. */
export type Networks = {
  /** The public internet, or a network that the operator has named. */
  readonly isAllowed: (address: string) => boolean
  /** A network that the operator has named. */
  readonly isNamed: (address: string) => boolean
  readonly areAnyNamed: boolean
}

/** The address in the form in which it is called. */
export function asWebhookUrl(text: string, networks: Networks): string {
  const url = URL.parse(text)
  if (!url) throw unfit('must be an absolute address, such as https://receiver.example/reelkeep.')
  const fault = faultOfForm(url, text) ?? faultOfPlace(url, networks)
  if (fault !== undefined) throw unfit(fault)
  return url.href
}

function faultOfForm(url: URL, text: string): string | undefined {
  if (!isHttp(url)) return 'must begin with https://.'
  if (url.username || url.password)
    return 'must not hold a user name or a password. Requests are signed: check the signature.'
  if (text.includes('#')) return 'must not have a fragment (#…): it would never be sent.'
  if (url.href.length > URL_LENGTH_MAX) return `must have at most ${URL_LENGTH_MAX} characters.`
  return undefined
}

const isHttp = ({ protocol }: URL) => protocol === 'https:' || protocol === 'http:'

function faultOfPlace(url: URL, networks: Networks): string | undefined {
  const address = literalOf(url)
  if (address !== undefined && !networks.isAllowed(address))
    return `leads to ${address}, which is not on the public internet. The operator can allow networks with WEBHOOK_ALLOWED_NETWORKS.`
  if (url.protocol === 'https:') return undefined
  const mayBePlain = address === undefined ? networks.areAnyNamed : networks.isNamed(address)
  return mayBePlain
    ? undefined
    : 'must begin with https://. Only in networks that the operator allows may it be http://.'
}

const ipv4 = /^\d+\.\d+\.\d+\.\d+$/
const localNames = /(^|\.)localhost\.?$/

/** Of a host in numbers, in whatever form: reading the address has made it the usual one. */
function literalOf({ hostname }: URL): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1)
  if (ipv4.test(hostname)) return hostname
  return localNames.test(hostname) ? '127.0.0.1' : undefined
}

const unfit = (fault: string) => refused('invalid_webhook_url', `url ${fault}`, 'url')
