// Sends the form of the page at once; without this script the person presses its button.
document.forms[0].submit()
