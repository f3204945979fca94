import { clearKey, type Drm, type KeyProvider, speke } from '../../modules/content-keys/content-keys.ts'
import type { WorkerConfig } from '../../platform/config/env.ts'

type ProviderConfig = Pick<
  WorkerConfig,
  | 'DRM_PROVIDER'
  | 'DRM_SCHEME'
  | 'SPEKE_URL'
  | 'SPEKE_USERNAME'
  | 'SPEKE_PASSWORD'
  | 'SPEKE_HEADER'
  | 'SPEKE_SYSTEMS'
  | 'SPEKE_TIMEOUT_SECONDS'
>

export const drmOf = (config: ProviderConfig): Drm => ({
  provider: providerOf(config),
  scheme: config.DRM_SCHEME,
})

/** Returns undefined if no DRM key provider is configured. */
function providerOf(config: ProviderConfig): KeyProvider | undefined {
  if (config.DRM_PROVIDER === 'clearkey') return clearKey
  if (config.DRM_PROVIDER === 'none' || config.SPEKE_URL === undefined) return undefined
  return speke({
    url: config.SPEKE_URL,
    headers: credentialsOf(config),
    systems: config.SPEKE_SYSTEMS,
    timeoutSeconds: config.SPEKE_TIMEOUT_SECONDS,
  })
}

function credentialsOf({ SPEKE_HEADER, SPEKE_USERNAME, SPEKE_PASSWORD = '' }: ProviderConfig) {
  const [name = '', value = ''] = SPEKE_HEADER?.split(/:\s*(.*)/s, 2) ?? []
  const credentials = Buffer.from(`${SPEKE_USERNAME}:${SPEKE_PASSWORD}`).toString('base64')
  return {
    ...(SPEKE_USERNAME === undefined ? {} : { Authorization: `Basic ${credentials}` }),
    ...(SPEKE_HEADER === undefined ? {} : { [name]: value }),
  }
}
