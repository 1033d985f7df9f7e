/** Types of events that are sign-ins, of users and of administrators. */
const SIGN_INS = ['user_login_attempt', 'sso_auth', 'admin_login_attempt']
export const SIGN_IN_QUERY = `event_type in (${SIGN_INS.join(', ')})`
