/**
 * Rules for webhook URLs. Problems visible in the URL itself are rejected at once, so that the caller sees them;
 * the address that a host name resolves to is checked when a request is sent.
 */
import { refused } from '../../kernel/errors.ts'

const URL_LENGTH_MAX = 2048

/** Networks that the operator allows. */
export type Networks = {
  /** Whether the address is on the public internet or in a network that the operator has allowed. */
  readonly isAllowed: (address: string) => boolean
  /** Whether the address is in a network that the operator has allowed. */
  readonly isInAllowedNetwork: (address: string) => boolean
  readonly hasAllowedNetworks: boolean
}

/** Returns the normalized URL. */
export function asWebhookUrl(text: string, networks: Networks): string {
  const url = URL.parse(text)
  if (!url) throw invalidUrl('must be an absolute URL, such as https://receiver.example/reelkeep.')
  const problem = formatProblem(url, text) ?? networkProblem(url, networks)
  if (problem !== undefined) throw invalidUrl(problem)
  return url.href
}

function formatProblem(url: URL, text: string): string | undefined {
  if (!isHttp(url)) return 'must begin with https://.'
  if (url.username || url.password)
    return 'must not contain a user name or password. Requests are signed: check the signature.'
  if (text.includes('#')) return 'must not have a fragment (#…), which would never be sent.'
  if (url.href.length > URL_LENGTH_MAX) return `must be at most ${URL_LENGTH_MAX} characters.`
  return undefined
}

const isHttp = ({ protocol }: URL) => protocol === 'https:' || protocol === 'http:'

function networkProblem(url: URL, networks: Networks): string | undefined {
  const address = ipAddressOf(url)
  if (address !== undefined && !networks.isAllowed(address))
    return `points to ${address}, which is not on the public internet. The operator can allow networks with WEBHOOK_ALLOWED_NETWORKS.`
  if (url.protocol === 'https:') return undefined
  const mayBePlain = address === undefined ? networks.hasAllowedNetworks : networks.isInAllowedNetwork(address)
  return mayBePlain
    ? undefined
    : 'must begin with https://. http:// is allowed only in networks that the operator allows.'
}

const ipv4 = /^\d+\.\d+\.\d+\.\d+$/
const localNames = /(^|\.)localhost\.?$/

/** Returns the IP address if the host of the URL is one. URL parsing has normalized its notation. */
function ipAddressOf({ hostname }: URL): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1)
  if (ipv4.test(hostname)) return hostname
  return localNames.test(hostname) ? '127.0.0.1' : undefined
}

const invalidUrl = (problem: string) => refused('invalid_webhook_url', `url ${problem}`, 'url')
