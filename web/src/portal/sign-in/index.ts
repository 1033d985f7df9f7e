export { ForgotPasswordPage } from './forgot-password.tsx'
export { PasswordLinkPage } from './password-link.tsx'
export { SignInPage } from './sign-in.tsx'
