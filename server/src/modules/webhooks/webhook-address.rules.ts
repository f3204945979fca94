/**
 * Rules for webhook URLs. Problems visible in the URL itself are rejected at once, so that the caller sees them;
 * the address that a host name resolves to is checked when a request is sent.
 */
import { refused } from '../../kernel/errors.ts'

const URL_LENGTH_MAX = 2048

/** Networks and ports that the operator allows for an organization. */
export type Networks = {
  readonly isPublic: (address: string) => boolean
  /** Ports on the public internet. */
  readonly publicPorts: readonly number[]
  /** Whether the address is in a private network that is allowed on this port. */
  readonly includes: (address: string, port: number) => boolean
  /** Whether a private network is allowed on this port. */
  readonly hasPort: (port: number) => boolean
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
  const isTls = url.protocol === 'https:'
  const port = Number(url.port) || (isTls ? 443 : 80)
  const isInside = address === undefined ? networks.hasPort(port) : networks.includes(address, port)
  if (isInside) return undefined
  if (address !== undefined && !networks.isPublic(address))
    return `points to ${address}, which is not on the public internet. The operator can allow networks and ports for your organization.`
  if (!isTls) return 'must begin with https://. http:// is allowed only in networks that the operator allows.'
  if (networks.publicPorts.includes(port)) return undefined
  return `must use port ${networks.publicPorts.join(' or ')}. The operator can allow other ports.`
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
