import type { Profile } from '../../profile/profile.ts'

/** URL of the page that plays an asset with a token. */
export const embedPage = (
  { url, organization }: Pick<Profile, 'url' | 'organization'>,
  assetId: string,
  token: string,
): string => `${url}/embed/${organization}/${assetId}/?token=${token}`
