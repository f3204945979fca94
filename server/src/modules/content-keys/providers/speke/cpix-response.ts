/** SPEKE response: the CPIX document, filled in. Validated like untrusted input. */
import type { DashProtection } from '@reelkeep/media'
import type { DrmKey } from '../../drm-keys.ts'
import { KeyProviderFailed, type KeyRequest, type ProvidedKeys, type Signalling } from '../key-provider.ts'
import { CPIX_SPACE, PSKC_SPACE, uuidOf } from './cpix-request.ts'
import { spekeSystems } from './systems.ts'
import { childrenOf, findIn, readXml, type XmlNode } from './xml.ts'

/** @throws KeyProviderFailed if the response does not match the request. */
export function readCpix(text: string, request: KeyRequest): ProvidedKeys {
  const document = readXml(text)
  if (document?.name !== 'CPIX' || document.space !== CPIX_SPACE) throw unreadable('no CPIX document')
  if (document.attributes.get('contentId') !== request.contentId) throw unreadable('another contentId')
  const keys = request.derived.map((requested) => readKey(document, requested, request.scheme))
  const systems = childrenOf(findIn(document, [CPIX_SPACE, 'DRMSystemList']), CPIX_SPACE, 'DRMSystem')
  const read = keys.map((key) => readSystems(systems, key))
  return {
    ...{ scheme: request.scheme, keys },
    signalling: read.map(({ signalling }) => signalling),
    pssh: unique(read.flatMap(({ pssh }) => pssh)).map((box) => Buffer.from(box, 'base64')),
  }
}

const KEY_BYTES = 16

function readKey(document: XmlNode, requested: DrmKey, scheme: string): DrmKey {
  const list = findIn(document, [CPIX_SPACE, 'ContentKeyList'])
  const found = childrenOf(list, CPIX_SPACE, 'ContentKey').filter(isOf(requested))
  const [entry] = found
  if (!entry || found.length > 1) throw unreadable(`${found.length} keys for ${requested.label}`)
  const responseScheme = entry.attributes.get('commonEncryptionScheme')
  if (responseScheme !== undefined && responseScheme !== scheme)
    throw unreadable(`${responseScheme} instead of ${scheme}`)
  const secret = findIn(entry, [CPIX_SPACE, 'Data'], [PSKC_SPACE, 'Secret'])
  const plain = findIn(secret, [PSKC_SPACE, 'PlainValue'])
  if (!plain) throw unreadable(`no key in the clear for ${requested.label}`)
  const vector = entry.attributes.get('explicitIV')
  return {
    ...requested,
    key: bytesOf(plain.text, `a key for ${requested.label}`),
    iv: vector === undefined ? requested.iv : bytesOf(vector, `an IV for ${requested.label}`),
  }
}

function bytesOf(text: string, what: string): Buffer {
  const bytes = decode(text)
  if (bytes?.length !== KEY_BYTES) throw unreadable(`${what} with a length other than ${KEY_BYTES} bytes`)
  return bytes
}

const isOf =
  ({ kid }: DrmKey) =>
  ({ attributes }: XmlNode) =>
    attributes.get('kid')?.toLowerCase() === uuidOf(kid)

type SystemsRead = { readonly signalling: Signalling; readonly pssh: readonly string[] }

function readSystems(systems: readonly XmlNode[], key: DrmKey): SystemsRead {
  const own = systems.filter(isOf(key))
  const boxes = own.flatMap((system) => readPssh(system) ?? [])
  return {
    pssh: boxes,
    signalling: {
      label: key.label,
      hlsKeys: unique(own.flatMap((system) => readLines(system, 'media', '#EXT-X-KEY:'))),
      hlsSessionKeys: unique(own.flatMap((system) => readLines(system, 'multivariant', '#EXT-X-SESSION-KEY:'))),
      dash: own.flatMap(readDash),
    },
  }
}

/** A complete PSSH box in base64. */
function readPssh(system: XmlNode): string | undefined {
  const text = findIn(system, [CPIX_SPACE, 'PSSH'])?.text.trim()
  if (!text) return undefined
  const box = decode(text)
  const isBox = box && box.length >= PSSH_BYTES_MIN && box.readUInt32BE(0) === box.length
  if (!isBox || box.toString('latin1', 4, 8) !== 'pssh') throw unreadable('an invalid PSSH box')
  return box.toString('base64')
}

const PSSH_BYTES_MIN = 32

function readDash(system: XmlNode): DashProtection[] {
  const systemId = system.attributes.get('systemId')?.toLowerCase() ?? ''
  if (!uuidForm.test(systemId)) throw unreadable('a system without an id')
  if (systemId === spekeSystems.fairplay) return []
  const pssh = readPssh(system)
  const elements = readElements(system)
  if (pssh === undefined && elements === undefined) return []
  // The manifest elements of the provider often contain the PSSH box already.
  const hasBox = elements !== undefined && /<(?:\w+:)?pssh[\s>]/.test(elements)
  return [
    {
      systemId,
      ...(pssh !== undefined && !hasBox ? { pssh } : {}),
      ...(elements === undefined ? {} : { elements }),
    },
  ]
}

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Elements that are copied into the manifest, so they must be well-formed XML. */
function readElements(system: XmlNode): string | undefined {
  const text = findIn(system, [CPIX_SPACE, 'ContentProtectionData'])?.text.trim()
  if (!text) return undefined
  const elements = decode(text)?.toString('utf8').trim()
  const wrapped = `<p xmlns:cenc="urn:mpeg:cenc:2013">${elements}</p>`
  if (!elements || elements.includes('<?') || !readXml(wrapped)) {
    throw unreadable('invalid ContentProtectionData')
  }
  return elements
}

/** Playlist lines; each must start with the expected tag. */
function readLines(system: XmlNode, playlist: string, beginning: string): string[] {
  const [data] = childrenOf(system, CPIX_SPACE, 'HLSSignalingData').filter(
    ({ attributes }) => attributes.get('playlist') === playlist,
  )
  const text = data?.text.trim()
  if (!text) return []
  const lines = (decode(text)?.toString('utf8') ?? '').split(/\r?\n/).filter(Boolean)
  if (lines.length === 0 || lines.some((line) => !isLine(line, beginning))) {
    throw unreadable(`HLSSignalingData without ${beginning}`)
  }
  return lines
}

const isLine = (line: string, beginning: string) => line.startsWith(beginning) && !/\p{Cc}|[\u2028\u2029]/u.test(line)

const base64Form = /^[A-Za-z0-9+/\s]*={0,2}$/

/** Decodes base64. Stricter than Node's decoder, which ignores invalid characters. */
const decode = (text: string): Buffer | undefined =>
  base64Form.test(text.trim()) ? Buffer.from(text, 'base64') : undefined

const unique = <Value>(values: readonly Value[]) => [...new Set(values)]

const unreadable = (what: string) => new KeyProviderFailed('unreadable', `The key provider's response has ${what}`)
