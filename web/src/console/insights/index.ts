export { Explorer as List } from './explorer.tsx'
