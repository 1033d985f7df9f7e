export { ForgotPasswordPage, PasswordLinkPage } from './password-link.tsx'
export { SignInPage } from './sign-in.tsx'
