import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'

// Parts that the routes have in common.

export const errors = errorsOf('v2')
export const tags = ['provisioning']
export const READ = ['applications', 'applications.readonly']
export const WRITE = ['applications']
/** For attributes of users. */
export const READ_USERS = ['users', 'users.readonly']
export const BASE = '/applications/:application_id/provisioning'
export const params = Type.Object({ application_id: Type.String() })
export const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 }))
export const skip = Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000 }))
export const DEFAULT_LIMIT = 100
export const Accepted = Type.Object({}, { title: 'ProvisioningAccepted' })
