/** Which of the main pages a member may use. Links and shortcuts to the others are not offered. */
import type { Organization } from './organization-type.ts'

export const maySearch = ({ can }: Organization) => can('assets:read')

export const mayUpload = ({ can }: Organization) => can('uploads:write')

/** The trash lists videos and folders. */
export const maySeeTrash = ({ can }: Organization) => can('assets:read') && can('folders:read')
