/** SPEKE 2.0 request: a CPIX 2.3 document with empty elements that the provider fills in. */
import type { DrmLabel } from '../../drm-keys.ts'
import type { KeyRequest } from '../key-provider.ts'
import { type SpekeSystem, spekeSystems } from './systems.ts'

export const CPIX_SPACE = 'urn:dashif:org:cpix'
export const PSKC_SPACE = 'urn:ietf:params:xml:ns:keyprov:pskc'
const CPIX_VERSION = '2.3'

/** All inserted values are identifiers, base64 or constants, so none needs XML escaping. */
export function cpixRequest({ contentId, scheme, derived }: KeyRequest, systems: readonly SpekeSystem[]): string {
  const keys = derived.map(
    ({ kid, iv }) =>
      `<cpix:ContentKey kid="${uuidOf(kid)}" commonEncryptionScheme="${scheme}"${scheme === 'cbcs' ? ` explicitIV="${iv.toString('base64')}"` : ''}/>`,
  )
  const drmSystems = derived.flatMap(({ kid }) =>
    systems.map(
      (system) =>
        `<cpix:DRMSystem kid="${uuidOf(kid)}" systemId="${spekeSystems[system]}">${emptyElements(system)}</cpix:DRMSystem>`,
    ),
  )
  const rules = derived.map(
    ({ kid, label }) =>
      `<cpix:ContentKeyUsageRule kid="${uuidOf(kid)}" intendedTrackType="${trackTypes[label]}">${filters[label]}</cpix:ContentKeyUsageRule>`,
  )
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<cpix:CPIX contentId="${contentId}" version="${CPIX_VERSION}" xmlns:cpix="${CPIX_SPACE}" xmlns:pskc="${PSKC_SPACE}">`,
    ...['<cpix:ContentKeyList>', ...keys, '</cpix:ContentKeyList>'],
    ...['<cpix:DRMSystemList>', ...drmSystems, '</cpix:DRMSystemList>'],
    ...['<cpix:ContentKeyUsageRuleList>', ...rules, '</cpix:ContentKeyUsageRuleList>'],
    '</cpix:CPIX>',
  ].join('\n')
}

const trackTypes: Record<DrmLabel, string> = { video: 'VIDEO', audio: 'AUDIO' }
const filters: Record<DrmLabel, string> = {
  video: '<cpix:VideoFilter/>',
  audio: '<cpix:AudioFilter/>',
}

const inPlaylists = '<cpix:HLSSignalingData playlist="media"/><cpix:HLSSignalingData playlist="multivariant"/>'

/** FairPlay exists only in HLS. */
const emptyElements = (system: SpekeSystem) =>
  system === 'fairplay' ? inPlaylists : `<cpix:PSSH/><cpix:ContentProtectionData/>${inPlaylists}`

export const uuidOf = (kid: Buffer) =>
  kid.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
