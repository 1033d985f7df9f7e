import { serve } from '../server/main.ts'

await serve()
