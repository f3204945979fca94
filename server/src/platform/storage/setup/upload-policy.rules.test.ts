import { describe, expect, it } from 'vitest'
import { isCanonicalId, uploadPolicy } from './upload-policy.rules.ts'

const options = { bucket: 'uploads', uploadUser: 'reelkeep-uploads', serviceUser: 'reelkeep' }
const ours = [
  {
    Sid: 'ReelkeepUploadKeyPuts',
    Effect: 'Allow',
    Principal: { AWS: ['arn:aws:iam:::user/reelkeep-uploads'] },
    Action: ['s3:PutObject'],
    Resource: ['arn:aws:s3:::uploads/*'],
  },
  {
    Sid: 'ReelkeepServiceReads',
    Effect: 'Allow',
    Principal: { AWS: ['arn:aws:iam:::user/reelkeep'] },
    Action: ['s3:GetObject', 's3:GetObjectVersion'],
    Resource: ['arn:aws:s3:::uploads/*'],
  },
]
const policyWith = (current: object | undefined, given = options) =>
  JSON.parse(uploadPolicy(given, current && JSON.stringify(current)))

describe('uploadPolicy', () => {
  it('allows the upload key only to put objects, and the service to read them', () => {
    expect(policyWith(undefined)).toEqual({ Version: '2012-10-17', Statement: ours })
  })

  it('keeps the statements of the operator, also a single one that is not in a list', () => {
    const other = { Effect: 'Deny', Principal: '*', Action: 's3:PutObjectAcl', Resource: '*' }
    expect(policyWith({ Version: '2008-10-17', Statement: other })).toEqual({
      Version: '2008-10-17',
      Statement: [other, ...ours],
    })
  })

  it('replaces its own statements', () => {
    const before = policyWith(undefined, { ...options, uploadUser: 'previous' })
    expect(policyWith(before)).toEqual({ Version: '2012-10-17', Statement: ours })
  })

  it('names users of a Ceph tenant by tenant and user', () => {
    const { Statement } = policyWith(undefined, { ...options, uploadUser: 'acme$uploads' })
    expect(Statement[0].Principal).toEqual({ AWS: ['arn:aws:iam::acme:user/uploads'] })
  })
})

describe('isCanonicalId', () => {
  it('distinguishes the account IDs of AWS from the user names of Ceph', () => {
    expect(isCanonicalId('02d6176db174dc93cb1b899f7c6078f08654445fe8cf1b6ce98d8855f66bdbf4')).toBe(true)
    expect(isCanonicalId('acme$uploads')).toBe(false)
  })
})
