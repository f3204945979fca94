import type { Profile } from '../../profile/profile.ts'

/** The page that plays an asset, for whoever has the token. */
export const embedPage = (
  { url, organization }: Pick<Profile, 'url' | 'organization'>,
  assetId: string,
  token: string,
): string => `${url}/embed/${organization}/${assetId}/?token=${token}`
