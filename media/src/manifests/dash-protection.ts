/** ContentProtection elements of a DASH manifest: first the scheme and the key id, then one element per key system. */
import type { DashProtection, Stream, TrackProtection } from './stream.ts'
import { element, textElement } from './xml.ts'

export const CENC_NAMESPACE = 'urn:mpeg:cenc:2013'

export const isProtected = ({ video, audio }: Stream) =>
  [...video, ...(audio ? [audio] : [])].some(({ protection }) => protection !== undefined)

export function contentProtections(protection: TrackProtection | undefined): string[][] {
  if (!protection) return []
  const { scheme, kid, dash } = protection
  const common = element('ContentProtection', {
    schemeIdUri: 'urn:mpeg:dash:mp4protection:2011',
    value: scheme,
    'cenc:default_KID': withDashes(kid),
  })
  return [common, ...dash.map(systemProtection)]
}

const systemProtection = ({ systemId, value, pssh, elements }: DashProtection) =>
  element(
    'ContentProtection',
    { schemeIdUri: `urn:uuid:${systemId}`, value },
    pssh === undefined ? [] : textElement('cenc:pssh', pssh),
    elements === undefined ? [] : [elements],
  )

/** Formats the key id as a UUID. */
const withDashes = (kid: string) => kid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
