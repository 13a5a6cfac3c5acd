// Without it everything can be read; in quiz mode hidden answers show when they get the focus.
document.querySelectorAll('.ask input').forEach(function(field){
  field.addEventListener('change',function(){
    var typed=parseFloat(field.value.replace(',','.').replace('\u2212','-'));
    var truth=parseFloat(field.dataset.answer);
    var said=field.parentNode.querySelector('output');
    var right=Math.abs(typed-truth)<=TOLERANCE*Math.max(1,Math.abs(truth));
    said.textContent=field.value?(right?'\u2713 right':'\u2717 not yet'):'';
    said.className=right?'right':'wrong';
    if(right)field.closest('.qa').querySelector('.a').classList.add('shown');
  });
});
document.querySelectorAll('details.copy').forEach(function(box){
  var button=document.createElement('button');
  button.textContent='Copy';
  button.type='button';
  button.addEventListener('click',function(){
    var text=box.querySelector('pre');
    var range=document.createRange();range.selectNodeContents(text);
    var chosen=getSelection();chosen.removeAllRanges();chosen.addRange(range);
    try{document.execCommand('copy');button.textContent='Copied'}catch(e){}
  });
  box.appendChild(button);
});
