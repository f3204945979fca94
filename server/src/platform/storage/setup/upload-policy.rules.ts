/** Policy of the uploads bucket on Ceph, where the upload key belongs to another user than the bucket. */

export type UploadPolicyOptions = {
  readonly bucket: string
  /** Owner ID of the upload key: `user` or `tenant$user`. */
  readonly uploadUser: string
  /** Owner ID of the main key, which also owns the bucket. */
  readonly serviceUser: string
}

type Statement = { readonly Sid?: string }
type Policy = { readonly Version?: string; readonly Statement?: Statement | readonly Statement[] }

/** Prefix of the IDs of our statements; other statements are the operator's and stay. */
const OURS = 'Reelkeep'

/** AWS and similar storage services identify an account by 64 hexadecimal digits; their keys have own policies. */
export const isCanonicalId = (ownerId: string) => /^[0-9a-f]{64}$/.test(ownerId)

/**
 * Adds our statements to the current policy of the bucket. A user owns the objects that it puts, so the service needs
 * the right to read them.
 */
export function uploadPolicy(
  { bucket, uploadUser, serviceUser }: UploadPolicyOptions,
  current: string | undefined,
): string {
  const { Version = '2012-10-17', Statement = [] }: Policy = JSON.parse(current ?? '{}')
  const others = [Statement].flat().filter(({ Sid }) => !Sid?.startsWith(OURS))
  const allow = (sid: string, user: string, actions: readonly string[]) => ({
    Sid: `${OURS}${sid}`,
    Effect: 'Allow',
    Principal: { AWS: [userArn(user)] },
    Action: actions,
    Resource: [`arn:aws:s3:::${bucket}/*`],
  })
  const ours = [
    allow('UploadKeyPuts', uploadUser, ['s3:PutObject']),
    allow('ServiceReads', serviceUser, ['s3:GetObject', 's3:GetObjectVersion']),
  ]
  return JSON.stringify({ Version, Statement: [...others, ...ours] })
}

function userArn(ownerId: string): string {
  const [user = '', tenant = ''] = ownerId.split('$').toReversed()
  return `arn:aws:iam::${tenant}:user/${user}`
}
