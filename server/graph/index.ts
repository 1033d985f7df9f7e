export { addNode, deleteNode, restoreNode, setNodeAttributes } from './node-store.ts'
export { NODE_TYPES, type NodeType } from './pairs.ts'
